package io.fairlead;

/** Spins, then yields, then blocks; with neither spins nor yields it blocks at once. */
final class BackOff implements IdleStrategy {
    /** Long enough to cost nothing, short enough that a lost wake-up would be noticed by nobody. */
    private static final long WAIT_NS = 100_000_000L;

    private final int spins;
    private final int yields;
    private int idleCalls;

    BackOff(int spins, int yields) {
        this.spins = spins;
        this.yields = yields;
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
        } else if (idleCalls < spins + yields) {
            idleCalls++;
            Thread.yield();
        } else {
            worker.await(WAIT_NS);
        }
    }
}
