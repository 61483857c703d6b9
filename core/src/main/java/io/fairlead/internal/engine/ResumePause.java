package io.fairlead.internal.engine;

/**
 * The pauses before a connection is resumed. After a quiet time there is none. Losses that follow each other are spaced
 * by up to {@link #FLAPPING_MAX_NS}, which decays while the connection lives, and attempts that fail by up to a second.
 */
final class ResumePause {
    static final long FLAPPING_MAX_NS = 20_000_000;
    static final long FAILURE_MAX_NS = 1_000_000_000;
    private static final long FLAPPING_MIN_NS = 1_000_000;
    private static final long FAILURE_MIN_NS = 5_000_000;
    /** The pause between losses halves in this time. */
    private static final long DECAY_NS = 50_000_000;

    private long flappingNs;
    private long failureNs;
    private long resumedNs;

    ResumePause(long nowNs) {
        resumedNs = nowNs;
    }

    /** The pause of a connection that was lost now. */
    long afterLossNs(long nowNs) {
        failureNs = FAILURE_MIN_NS;
        long halvings = Math.clamp((nowNs - resumedNs) / DECAY_NS, 0, Long.SIZE - 1);
        flappingNs = Math.min(FLAPPING_MAX_NS, 2 * flappingNs + FLAPPING_MIN_NS) >> halvings;
        return flappingNs;
    }

    /** The pause after an attempt that failed. */
    long afterFailureNs() {
        long pauseNs = failureNs;
        failureNs = Math.min(FAILURE_MAX_NS, 2 * failureNs);
        return pauseNs;
    }

    /** The connection was resumed. */
    void resumed(long nowNs) {
        resumedNs = nowNs;
    }
}
