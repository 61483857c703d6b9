package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * A {@link TransportEndpoint} whose two sides exchange the transport's own data in the handshake, before messages flow.
 * Not for transports that take the connection.
 */
@Incubating
public interface WireUpEndpoint extends TransportEndpoint {
    /**
     * The bytes that the peer's endpoint needs of this one, such as the address of a ring or a proof of identity. The
     * listener's bytes are sent with the message that chooses the transport. The connector's bytes are sent with the
     * last message of the handshake, so they can answer the listener's. Called once on each side.
     *
     * @return at most 256 bytes; may be empty
     */
    byte[] wireUpData();

    /**
     * Takes the bytes of the peer's {@link #wireUpData()}. Called once, before {@link #begin()}; on the connecting side before its own
     * {@link #wireUpData()}.
     *
     * @param data the bytes; untrusted, even on a secured connection
     * @throws io.fairlead.FairleadException if the bytes are malformed or the proof is wrong; the endpoint fails with
     *     it
     */
    void wireUp(byte[] data);

    /**
     * Called once when the handshake has ended, unless the endpoint is closed before. The peer's transport has created
     * its endpoint by then. A transport whose two sides exchange messages to connect begins here.
     */
    void begin();
}
