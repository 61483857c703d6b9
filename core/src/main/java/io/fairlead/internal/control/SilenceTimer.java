package io.fairlead.internal.control;

/** How long the peer of one endpoint has been silent, and when to ask it to speak: four times in a timeout. The clock comes in from outside. */
final class SilenceTimer {
    private final long intervalNs;
    private boolean heard;
    private long heardNs;
    private long askedNs;

    SilenceTimer(long timeoutNs, long nowNs) {
        this.intervalNs = Math.max(1, timeoutNs / 4);
        this.heardNs = nowNs;
        this.askedNs = nowNs;
    }

    /** Something came from the peer. */
    void recordHeard() {
        heard = true;
    }

    /** This side itself stood still for a while and could not have heard anything. */
    void excuse(long gapNs) {
        heardNs += gapNs;
    }

    /** How long the peer has been silent. What was heard since the last look counts as heard now. */
    long lookNs(long nowNs) {
        if (heard) {
            heard = false;
            heardNs = nowNs;
        }
        return Math.max(0, nowNs - heardNs);
    }

    /** How long the peer has been silent, as far as was looked. */
    long silentNs(long nowNs) {
        return heard ? 0 : nowNs - heardNs;
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
