package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * A {@link TransportEndpoint} whose two sides exchange data of the transport's own in the handshake, before messages flow. Not for transports that
 * take the connection.
 */
@Incubating
public interface WireUpEndpoint extends TransportEndpoint {
    /**
     * The bytes that the peer's endpoint needs of this one, such as the address of a ring or a proof of identity. The listener's bytes travel with the
     * message that chooses the transport. The connector's travel with the last message of the handshake, so that they can answer the
     * listener's. Called once on each side.
     *
     * @return at most 256 bytes; may be empty
     */
    byte[] wireUpData();

    /**
     * Takes the bytes of the peer's {@link #wireUpData()}. Called once, before {@link #begin()}; on the connecting side before its own
     * {@link #wireUpData()}.
     *
     * @param data the bytes; untrusted, even on a secured connection
     * @throws io.fairlead.FairleadException if the bytes are malformed or prove nothing; the endpoint fails with it
     */
    void wireUp(byte[] data);

    /**
     * Called once when the handshake is over, unless the endpoint is closed before. By then the peer's transport has made
     * its endpoint. A transport that exchanges messages of its own to connect its two sides begins here.
     */
    void begin();
}
