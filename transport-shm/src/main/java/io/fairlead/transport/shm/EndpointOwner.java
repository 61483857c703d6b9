package io.fairlead.transport.shm;

import io.fairlead.spi.EndpointHost;

/** The endpoint's interface to its parts, which report to it. */
interface EndpointOwner {
    EndpointHost host();

    /** Whether nothing can be sent any more. */
    boolean hasEnded();

    /** There is work for the next turn, or for when the ring has capacity. */
    void markBacklogged();

    /** A record was written while the peer may be resting. */
    void markWritten();

    /** Takes a message about memory that one side serves. */
    void takeServed(RingReader ring);

    /** The signal of a put was written to the ring. */
    void signalLeft();

    /** There is something to copy in turns of progress, or no longer. */
    void setCopying(boolean any);

    /** The peer has broken the rules of this transport. */
    void failViolation(String how);

    /** What is in a ring makes no sense: the peer has broken the rules, or something has broken the ring. */
    void failLane(String how);

    /** The peer's process has ended, or is ending. */
    void failLost(String how);

    /**
     * The memory of an operation in progress was closed. Parts of the operation may have been sent, so only the end of
     * the endpoint can notify the peer.
     */
    void failMemoryClosed(IllegalStateException cause);
}
