package io.fairlead;

import java.util.function.LongSupplier;

/** Spins, then yields, then blocks. With 0 spins and 0 yields it blocks at once. */
final class BackOff implements IdleStrategy {
    /** Bounds the delay after a lost wake-up, at a rate of wake-ups that costs next to nothing. */
    private static final long WAIT_NS = 100_000_000L;

    /** Limit of the yields of one idle phase. Yields that take longer mean that other threads need the processor. */
    private static final long YIELDING_NS = 100_000;

    private final int spins;
    private final int yields;
    private final LongSupplier clock;
    private int idleCalls;
    private long yieldingSinceNs;

    BackOff(int spins, int yields) {
        this(spins, yields, System::nanoTime);
    }

    /** Uses the given clock, in nanoseconds. */
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
