package io.fairlead.internal.liveness;

/**
 * How much of the time between two turns of a worker counts against its peers. A worker that stands still reads nothing meanwhile, and whoever waits
 * for it has had no answer. So one gap is at most a part of a timeout, and a timeout is over after a few turns, however long they are.
 */
public final class TurnGap {
    /** The turns in which a peer may be heard before a timeout of its is over. */
    private static final int TURNS_MIN = 4;

    private TurnGap() {}

    /**
     * The part of a gap that does not count.
     *
     * @param gapNs the time since the worker's last look at its connections
     * @param timeoutNs what the peer's time is limited by
     */
    public static long excusedNs(long gapNs, long timeoutNs) {
        return Math.max(0, gapNs - timeoutNs / TURNS_MIN);
    }
}
