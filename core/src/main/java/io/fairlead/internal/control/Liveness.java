package io.fairlead.internal.control;

/**
 * Judges whether the peer of one endpoint lives: it must be heard of within the timeout, and is asked to speak four times in
 * it. Pure; the clock comes in from outside.
 */
final class Liveness {
    private final long timeoutNs;
    private final long intervalNs;
    private boolean heard;
    private long heardNs;
    private long askedNs;

    Liveness(long timeoutNs, long nowNs) {
        this.timeoutNs = timeoutNs;
        this.intervalNs = Math.max(1, timeoutNs / 4);
        this.heardNs = nowNs;
        this.askedNs = nowNs;
    }

    /** Something came from the peer. */
    void heard() {
        heard = true;
    }

    /** This side itself stood still for a while and could not have heard anything. */
    void excuse(long gapNs) {
        heardNs += gapNs;
    }

    /** Whether the peer has been silent for too long. */
    boolean silent(long nowNs) {
        if (heard) {
            heard = false;
            heardNs = nowNs;
        }
        return nowNs - heardNs > timeoutNs;
    }

    /** How long the peer has been silent, as far as was looked. */
    long silentNs(long nowNs) {
        return heard ? 0 : nowNs - heardNs;
    }

    /** Whether it is time to ask the peer to speak. */
    boolean due(long nowNs) {
        if (nowNs - askedNs < intervalNs) {
            return false;
        }
        askedNs = nowNs;
        return true;
    }
}
