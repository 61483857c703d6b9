package io.fairlead.spi;

import io.fairlead.Incubating;

/** An endpoint whose two sides exchange what each needs of the other before data flows. As {@link TransportEndpoint} otherwise. */
@Incubating
public interface WireUpEndpoint extends TransportEndpoint {
    /**
     * What the peer's endpoint needs of this one, sent on the control connection: where this one can be written to, or a proof of who it is. The
     * listener's travels with the message that chooses the transport, and the connector's with the last message of the handshake, so that it may
     * answer the listener's. Called once at each side; not where the transport takes the connection.
     *
     * @return at most 256 bytes; may be none
     */
    byte[] wireUpData();

    /**
     * Takes what the peer's {@link #wireUpData()} returned. Called once, before {@link #begin()}, at the connector before its own data is asked for; not
     * where the transport takes the connection.
     *
     * @param data what came; it is the peer's, however the connection is secured
     * @throws io.fairlead.FairleadException if it proves nothing or makes no sense; the endpoint fails with it
     */
    void wireUp(byte[] data);

    /**
     * The handshake is over: the peer's transport has made its endpoint too, or did so before the peer's last word. Called once, unless the endpoint is
     * closed before. A transport that exchanges messages of its own to connect its two sides begins here.
     */
    void begin();
}
