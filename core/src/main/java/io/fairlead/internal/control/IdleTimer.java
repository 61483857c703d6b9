package io.fairlead.internal.control;

import io.fairlead.internal.liveness.TurnGap;

/**
 * The idle time of one endpoint's peer, and the times of its pings: four in each {@code liveness.timeout}. The clock is
 * passed in. The two timeouts have separate times, because a longer timeout excuses less of a gap between two turns of
 * this worker.
 */
class IdleTimer {
    private final long livenessNs;
    private final long stallNs;
    private final long intervalNs;
    private boolean received;
    /** The start of the peer's idle time, less the excused part for {@code liveness.timeout}. */
    private long receivedNs;
    /** The same for {@code stall.timeout}. */
    private long movedNs;

    private long askedNs;

    IdleTimer(long livenessNs, long stallNs, long nowNs) {
        this.livenessNs = livenessNs;
        this.stallNs = stallNs;
        this.intervalNs = Math.max(1, livenessNs / 4);
        this.receivedNs = nowNs;
        this.movedNs = nowNs;
        this.askedNs = nowNs;
    }

    /** The peer's idle time counts from now on. */
    public final void restart(long nowNs) {
        received = false;
        receivedNs = nowNs;
        movedNs = nowNs;
        askedNs = nowNs;
    }

    /** Bytes of the peer have arrived. */
    public final void recordReceived() {
        received = true;
    }

    /** This side did not read for the given time, and could not receive anything. */
    final void excuse(long gapNs) {
        receivedNs += TurnGap.excusedNs(gapNs, livenessNs);
        movedNs += TurnGap.excusedNs(gapNs, stallNs);
    }

    /** The idle time, for {@link #isIdle} and {@link #isOverdue}. Bytes since the last check count as received now. */
    final long lookNs(long nowNs) {
        if (received) {
            received = false;
            receivedNs = nowNs;
            movedNs = nowNs;
        }
        return Math.max(0, nowNs - receivedNs);
    }

    /** Whether an idle time is more than half of {@code liveness.timeout}: the peer's host is queried from then on. */
    final boolean isIdle(long idleNs) {
        return idleNs > livenessNs / 2;
    }

    /** Whether an idle time is more than {@code liveness.timeout}. */
    final boolean isOverdue(long idleNs) {
        return idleNs > livenessNs;
    }

    /** Whether the peer has been idle for longer than {@code stall.timeout}. */
    final boolean isStalledTooLong(long nowNs) {
        return stalledNs(nowNs) > stallNs;
    }

    /** The idle time to compare with {@code stall.timeout}, up to the last check. */
    final long stalledNs(long nowNs) {
        return received ? 0 : Math.max(0, nowNs - movedNs);
    }

    /** Begins the next ping if it is due; false if it is not. */
    final boolean tryBeginPing(long nowNs) {
        if (nowNs - askedNs < intervalNs) {
            return false;
        }
        askedNs = nowNs;
        return true;
    }
}
