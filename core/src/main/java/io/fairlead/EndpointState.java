package io.fairlead;

/**
 * Where an endpoint is in its life; it only ever moves down this list, and has one end: {@link #CLOSED} or {@link #FAILED}. It is
 * there when every operation in flight has completed, and from the call on that tells its {@link EndpointHandler}.
 */
public enum EndpointState {
    /** The handshake runs, or has just failed and the handler is still to be told; posting answers {@link Status#NOT_CONNECTED}. */
    CONNECTING,
    /** Operations may be posted. */
    CONNECTED,
    /**
     * It is ending, by a close of either side or by a failure: what is in flight completes, nothing new is taken. Posting answers
     * {@link Status#CLOSED} or, after a failure, {@link Status#PEER_FAILED}.
     */
    CLOSING,
    /** Closed by this side, or by a goodbye of the peer; everything has completed. */
    CLOSED,
    /** Ended by a failure; everything has completed. {@link Endpoint#failure()} has the cause. */
    FAILED
}
