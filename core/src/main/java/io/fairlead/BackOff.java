package io.fairlead;

import java.util.function.LongSupplier;

/** Spins, then yields, then blocks; with neither spins nor yields it blocks at once. */
final class BackOff implements IdleStrategy {
    /** Long enough to cost nothing, short enough that a lost wake-up would be noticed by nobody. */
    private static final long WAIT_NS = 100_000_000L;

    /** What all yields may take; more tells of others that need the processor. */
    private static final long YIELDING_NS = 100_000;

    private final int spins;
    private final int yields;
    private final LongSupplier clock;
    private int idleCalls;
    private long yieldingSinceNs;

    BackOff(int spins, int yields) {
        this(spins, yields, System::nanoTime);
    }

    /** With a clock of the caller's, in nanoseconds. */
    BackOff(int spins, int yields, LongSupplier clock) {
        this.spins = spins;
        this.yields = yields;
        this.clock = clock;
    }

    @Override
    public void idle(Worker worker, int events) {
        if (events > 0) {
            idleCalls = 0;
            return;
        }
        if (idleCalls < spins) {
            idleCalls++;
            Thread.onSpinWait();
        } else if (isYielding()) {
            idleCalls++;
            Thread.yield();
        } else {
            worker.await(WAIT_NS);
        }
    }

    private boolean isYielding() {
        if (idleCalls >= spins + yields) {
            return false;
        }
        long nowNs = clock.getAsLong();
        if (idleCalls == spins) {
            yieldingSinceNs = nowNs;
        }
        return nowNs - yieldingSinceNs <= YIELDING_NS;
    }
}
