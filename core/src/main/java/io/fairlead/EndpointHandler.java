package io.fairlead;

/**
 * Notified when endpoints connect, end and receive signals. Every method runs on the worker's thread inside
 * {@link Worker#progress()}, or inside a close that progresses. It may post operations and close endpoints, and must
 * not call {@link Worker#progress()}. An exception that it throws is logged and has no other effect.
 *
 * <p>Each endpoint causes at most one {@code connected}, then any number of {@code signalled}, then exactly one of
 * {@code closed} and {@code failed}. The last one follows the completion of every operation in flight.
 */
public interface EndpointHandler {
    /** Does nothing. */
    EndpointHandler NONE = new EndpointHandler() {};

    /**
     * The endpoint is connected, and operations may be posted.
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
     * The endpoint was closed gracefully, by this side or by the peer.
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
