package io.fairlead.internal.liveness;

/**
 * How much of the time between two turns of a worker counts against its peers. A stalled worker reads nothing, so its
 * peers cannot answer meanwhile. Therefore one gap counts as at most a part of a timeout, and a timeout needs a few
 * turns, however long they are.
 */
public final class TurnGap {
    /** The minimum number of turns within a peer's timeout. */
    private static final int TURNS_MIN = 4;

    private TurnGap() {}

    /**
     * The part of a gap that does not count.
     *
     * @param gapNs the time since the worker's last look at its connections
     * @param timeoutNs the peer's timeout
     */
    public static long excusedNs(long gapNs, long timeoutNs) {
        return Math.max(0, gapNs - timeoutNs / TURNS_MIN);
    }
}
