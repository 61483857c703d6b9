package io.fairlead.transport.shm;

/** The endpoint's interface to its worker's {@link RingSchedule}. Nothing here throws. */
interface RingUser {
    /** Passes the records of its ring to the core's matching; returns their number. */
    int read();

    /** Whether there is a record in its ring, or its peer must be woken; before the worker rests. */
    boolean hasWork();

    /** Does the remaining work, as far as the ring has capacity; returns the amount of work. */
    int catchUp();

    /** Asks the peer to wake this worker once there is capacity; false if there is some now. */
    boolean tryAwaitRoom();

    /** Whether there is capacity by now, after {@link Ring#fenceBeforeLastCheck}. */
    boolean hasRoom();

    /** Whether no work is left; a later report to the schedule is new work. */
    boolean isCaughtUp();

    /** Copies a part of what is too long for one turn; returns the number of operations. */
    int copy();

    /** Wakes the peer if it rests; after {@link Ring#fenceBeforeRestCheck}. */
    void wakePeer();

    /** Prepares for the next record, in a turn without one. */
    void prefetchForWrite();

    /** The peer's process is ending: it writes no more, and what it has written is read before the end. */
    void endWithPeer();
}
