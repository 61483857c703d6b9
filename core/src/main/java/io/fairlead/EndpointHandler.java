package io.fairlead;

/**
 * Told of the life of endpoints. Every method runs on the worker's thread inside {@link Worker#progress()} (or a close that
 * progresses); it may post operations and close endpoints, and must not call {@link Worker#progress()}. What it throws is
 * logged and goes no further.
 *
 * <p>For each endpoint: at most one {@code connected}, then any number of {@code signalled}, then exactly one of
 * {@code closed} and {@code failed}, after every operation in flight on it has completed.
 */
public interface EndpointHandler {
    /** Does nothing. */
    EndpointHandler NONE = new EndpointHandler() {};

    /**
     * What the layer above the worker can do, for the handler on the other side: asked once, when the handshake is answered or begun. Bits
     * 0 to 7 belong to Fairlead's own layers (bit 0 to node), bits 8 to 15 to applications.
     *
     * @return 16 bits; 0 unless overridden
     */
    default int features() {
        return 0;
    }

    /**
     * The handshake has ended well, and operations may be posted. For handlers that want to know what the peer's handler can do; calls
     * {@link #connected(Endpoint)} unless overridden.
     *
     * @param endpoint the endpoint, new to the caller on the listener's side
     * @param peerFeatures what the peer's handler answered to {@link #features()}
     */
    default void connected(Endpoint endpoint, int peerFeatures) {
        connected(endpoint);
    }

    /**
     * The handshake has ended well, and operations may be posted.
     *
     * @param endpoint the endpoint, new to the caller on the listener's side
     */
    default void connected(Endpoint endpoint) {}

    /**
     * A put-with-signal of the peer has arrived; its data is visible in this process.
     *
     * @param endpoint the endpoint whose peer put
     * @param value the peer's 64-bit value
     */
    default void signalled(Endpoint endpoint, long value) {}

    /**
     * The endpoint was closed by this side or by a goodbye of the peer.
     *
     * @param endpoint the endpoint, now {@link EndpointState#CLOSED}
     */
    default void closed(Endpoint endpoint) {}

    /**
     * The endpoint could not be connected, or has failed.
     *
     * @param endpoint the endpoint, now {@link EndpointState#FAILED}
     * @param cause what was observed, and whether to retry
     */
    default void failed(Endpoint endpoint, FairleadException cause) {}
}
