package io.fairlead;

/**
 * The state of an endpoint's life cycle. It only moves down this list and ends at {@link #CLOSED} or {@link #FAILED}.
 * It is at its end once every operation in flight has completed, from the last call of the {@link EndpointHandler} on.
 */
public enum EndpointState {
    /**
     * The handshake is in progress, or has just failed and the handler's call is pending; posting returns
     * {@link Status#NOT_CONNECTED}.
     */
    CONNECTING,
    /** Operations may be posted. */
    CONNECTED,
    /**
     * The endpoint is ending, by a close of either side or by a failure. Operations in flight complete, and new ones
     * are refused: posting returns {@link Status#CLOSED} or, after a failure, {@link Status#PEER_FAILED}.
     */
    CLOSING,
    /** Closed gracefully by this side or by the peer; everything has completed. */
    CLOSED,
    /** Ended by a failure; everything has completed. {@link Endpoint#failure()} has the cause. */
    FAILED
}
