package io.fairlead.benchmarks.contest;

import java.io.IOException;

/** Tagged messages of a worker between two new processes, whose threads sleep while they wait. */
public final class Streams {
    private Streams() {}

    /** Over shared memory. */
    public static Entrant overSharedMemory() throws IOException {
        return Pair.start(Contestant.FAIRLEAD_SHM, Idle.BLOCK);
    }

    /** Over TCP. */
    public static Entrant overTcp() throws IOException {
        return Pair.start(Contestant.FAIRLEAD_TCP, Idle.BLOCK);
    }
}
