package io.fairlead.spi;

import io.fairlead.Incubating;

/** An endpoint whose two sides have to get to know each other before data flows. As {@link TransportEndpoint} otherwise. */
@Incubating
public interface IntroducedEndpoint extends TransportEndpoint {
    /**
     * What this endpoint says to the peer's, on the control connection: where it can be written to, or that it is who it says. The listener's travels
     * with the word that chooses the transport, the connector's with the last word of the handshake, so that it may answer the listener's. Asked
     * once at each side, and not where the transport takes the connection.
     *
     * @return at most 256 bytes; may be none
     */
    byte[] introduction();

    /**
     * Takes in what the peer's endpoint said by its {@link #introduction()}. Called once, before {@link #begin()}, at the connector before its own is
     * asked for; not where the transport takes the connection.
     *
     * @param introduction what came; the peer's, however the connection is secured
     * @throws io.fairlead.FairleadException if it proves nothing or makes no sense; the endpoint fails of it
     */
    void meet(byte[] introduction);

    /**
     * The handshake is over: the peer's transport has made its endpoint too, or did so before the peer's last word. Called once, unless the endpoint is
     * closed before. A transport whose two sides have to get to know each other begins here.
     */
    void begin();
}
