package io.fairlead.node.internal;

/**
 * Counts the turns of a loop in which there was nothing to do, and says how to spend the next moment: spinning, then yielding, then waiting.
 *
 * <p>Spinning is bounded by time as well as by turns: a turn over shared memory takes 20 ns, one over TCP is a system call, and a thread that has
 * waited for a reply and was just woken may have no other processor than this loop's. Belongs to the loop's thread.
 */
final class IdleTurns {
    /** What to do until the next turn. */
    enum Next {
        SPIN,
        YIELD,
        WAIT
    }

    private final int spins;
    private final long spinNs;
    private final int yields;
    private int spun;
    private int yielded;
    private long sinceNs;

    /**
     * Counts turns.
     *
     * @param spins how many turns to spin at most, {@link Integer#MAX_VALUE} for ever
     * @param spinNs how long to spin at most
     * @param yields how many turns to yield after that
     */
    IdleTurns(int spins, long spinNs, int yields) {
        this.spins = spins;
        this.spinNs = spinNs;
        this.yields = yields;
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
        if (yielded < yields) {
            yielded++;
            return Next.YIELD;
        }
        return Next.WAIT;
    }

    private boolean isSpinning() {
        if (spun == spins) {
            return false;
        }
        long nowNs = System.nanoTime();
        if (spun++ == 0) {
            sinceNs = nowNs;
            return true;
        }
        return nowNs - sinceNs < spinNs;
    }
}
