package io.fairlead.transport.shm;

import io.fairlead.spi.EndpointHost;

/** An endpoint as its parts see it: whom they tell what they have found. */
interface EndpointOwner {
    EndpointHost host();

    /** Whether nothing can be sent any more. */
    boolean hasEnded();

    /** There is something to do in the next turn, or once there is room. */
    void markBacklogged();

    /** Something was written that the peer may sleep over. */
    void markWritten();

    /** There is something to copy in turns of progress, or no more. */
    void setCopying(boolean any);

    /** The peer has broken the rules of this transport. */
    void failViolation(String how);

    /** The peer's process has ended, or is about to. */
    void failLost(String how);

    /**
     * Memory of an operation that is under way is not alive any more. Some of the operation may have left, so that only the end of the
     * endpoint can tell the peer.
     */
    void failMemoryClosed(IllegalStateException cause);
}
