package io.fairlead;

/** Where an endpoint is in its life; it only ever moves down this list. */
public enum EndpointState {
    /** The handshake runs; posting answers {@link Status#NOT_CONNECTED}. */
    CONNECTING,
    /** Operations may be posted. */
    CONNECTED,
    /** A close runs: what is in flight may end, nothing new is taken. */
    CLOSING,
    /** Closed by either side with a goodbye. */
    CLOSED,
    /** Ended by a failure; {@link Endpoint#failure()} has the cause. */
    FAILED
}
