package io.fairlead.node.internal.loop;

/**
 * Counts the idle turns of a loop, and decides what to do next: spin, then yield, then wait.
 *
 * <p>A loop whose turns are costly yields at once. A turn over shared memory takes some 20 ns, one over TCP is a system call, and a thread that
 * was just woken by a reply may need this loop's processor. Belongs to the loop's thread.
 */
final class IdleTurns {
    /** What to do until the next turn. */
    enum Next {
        SPIN,
        YIELD,
        WAIT
    }

    /** Turns after which their cost is known. */
    private static final int PROBED = 2;

    private final int spins;
    private final long costlyNs;
    private final int yields;
    private final long yieldingNs;
    private int spun;
    private int yielded;
    /** When the spins began, then when the yields began. */
    private long sinceNs;

    /**
     * Counts turns.
     *
     * @param spins how many turns to spin at most, {@link Integer#MAX_VALUE} for ever
     * @param costlyNs a turn that takes longer is not worth spinning
     * @param yields how many turns to yield after that at most
     * @param yieldingNs what these may take together; if they take more, others need the processor
     */
    IdleTurns(int spins, long costlyNs, int yields, long yieldingNs) {
        this.spins = spins;
        this.costlyNs = costlyNs;
        this.yields = yields;
        this.yieldingNs = yieldingNs;
    }

    /** There was something to do. */
    void busy() {
        spun = 0;
        yielded = 0;
    }

    /** There was nothing to do. */
    Next idle() {
        if (spins == Integer.MAX_VALUE || (yielded == 0 && isSpinning())) {
            return Next.SPIN;
        }
        return isYielding() ? Next.YIELD : Next.WAIT;
    }

    private boolean isYielding() {
        if (yielded == yields) {
            return false;
        }
        if (yielded == 0) {
            sinceNs = System.nanoTime();
        } else if (System.nanoTime() - sinceNs > yieldingNs) {
            return false;
        }
        yielded++;
        return true;
    }

    private boolean isSpinning() {
        if (spun == spins) {
            return false;
        }
        if (spun == 0) {
            sinceNs = System.nanoTime();
        } else if (spun == PROBED && System.nanoTime() - sinceNs > PROBED * costlyNs) {
            return false;
        }
        spun++;
        return true;
    }
}
