package io.fairlead.internal.handshake;

/**
 * The last part of a handshake over a transport that connects its endpoints by itself. Each side reports when its own
 * endpoint is ready. Until then it can still accept another path. Not for other transports.
 */
final class Settlement {
    private boolean begun;
    private boolean own;
    private boolean peer;

    /** Whether the transports of both sides are connecting their endpoints. */
    boolean isBegun() {
        return begun;
    }

    void begin() {
        begun = true;
    }

    /** This side's endpoint is ready. */
    void markOwn() {
        own = true;
    }

    /** The peer has reported that its endpoint is ready. */
    void markPeer() {
        peer = true;
    }

    boolean isOwn() {
        return own;
    }

    /** Whether the peer may still report that it is ready. */
    boolean awaitsPeer() {
        return begun && !peer;
    }

    /** Whether both sides are ready. */
    boolean isOver() {
        return own && peer;
    }

    /** Whether neither side relies on the path yet. */
    boolean mayTurnBack() {
        return begun && !own && !peer;
    }
}
