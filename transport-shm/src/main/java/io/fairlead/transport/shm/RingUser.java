package io.fairlead.transport.shm;

/** An endpoint as the {@link RingSchedule} of its worker see it. Nothing here throws. */
interface RingUser {
    /** Takes what is in its ring to the core's matching; how many records. */
    int read();

    /** Whether something is in its ring, or its peer is to be woken; before the worker rests. */
    boolean hasWork();

    /** Does what is left to do, as far as there is room; how much was done. */
    int catchUp();

    /** Has the peer wake this worker once there is room; false if something can be done now. */
    boolean tryAwaitRoom();

    /** Whether there is room by now, behind {@link Ring#fenceBeforeLastCheck}. */
    boolean hasRoom();

    /** Whether nothing is left to do; what the turns are told of from now on is news to them. */
    boolean isCaughtUp();

    /** Copies some of what is too long for one turn; how many operations were worked on. */
    int copy();

    /** Wakes the peer if it rests; behind {@link Ring#fenceBeforeRestCheck}. */
    void wakePeer();
}
