package io.fairlead.internal.control;

import io.fairlead.internal.liveness.TurnGap;

/**
 * How long the peer of one endpoint has been silent, and when to ask it to speak: four times in a {@code liveness.timeout}. The clock comes in from
 * outside. For each of the two timeouts the time is counted by itself, because a longer one excuses less of a gap between two turns of this worker.
 */
final class SilenceTimer {
    private final long livenessNs;
    private final long stallNs;
    private final long intervalNs;
    private boolean heard;
    /** Since when the peer has been silent, less what is excused for {@code liveness.timeout}. */
    private long heardNs;
    /** The same for {@code stall.timeout}. */
    private long movedNs;

    private long askedNs;

    SilenceTimer(long livenessNs, long stallNs, long nowNs) {
        this.livenessNs = livenessNs;
        this.stallNs = stallNs;
        this.intervalNs = Math.max(1, livenessNs / 4);
        this.heardNs = nowNs;
        this.movedNs = nowNs;
        this.askedNs = nowNs;
    }

    /** Something came from the peer. */
    void recordHeard() {
        heard = true;
    }

    /** This side did not look for so long, and could not have heard anything. */
    void excuse(long gapNs) {
        heardNs += TurnGap.excusedNs(gapNs, livenessNs);
        movedNs += TurnGap.excusedNs(gapNs, stallNs);
    }

    /** How long the peer has been silent, to be held against {@code liveness.timeout}. What was heard since the last look counts as heard now. */
    long lookNs(long nowNs) {
        if (heard) {
            heard = false;
            heardNs = nowNs;
            movedNs = nowNs;
        }
        return Math.max(0, nowNs - heardNs);
    }

    /** How long the peer has been silent, to be held against {@code stall.timeout}, as far as was looked. */
    long stalledNs(long nowNs) {
        return heard ? 0 : Math.max(0, nowNs - movedNs);
    }

    /** Begins the next ping if it is due; false if it is not. */
    boolean tryBeginPing(long nowNs) {
        if (nowNs - askedNs < intervalNs) {
            return false;
        }
        askedNs = nowNs;
        return true;
    }
}
