package io.fairlead.transport.shm;

/** An endpoint as the {@link RingSchedule} of its worker see it. Nothing here throws. */
interface RingUser {
    /** Takes what is in its ring to the core's matching; how many records. */
    int read();

    /** Whether something is in its ring. */
    boolean hasRecord();

    /** Does what is left to do, as far as there is room; how much was done. */
    int catchUp();

    /** Whether nothing is left to do; what the turns are told of from now on is news to them. */
    boolean isCaughtUp();

    /** Copies some of what is too long for one turn; how many operations were worked on. */
    int copy();

    /** Wakes the peer if it rests; behind {@link Ring#fenceBeforeRestCheck}. */
    void wakePeer();
}
