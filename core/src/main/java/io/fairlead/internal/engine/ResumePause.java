package io.fairlead.internal.engine;

/**
 * The pauses before a connection is resumed, and the time that an attempt may take. After a quiet time there is no pause.
 * Losses that follow each other are spaced by up to {@link #FLAPPING_MAX_NS}, which decays while the connection lives, and
 * attempts that fail by up to a second.
 */
final class ResumePause {
    static final long FLAPPING_MAX_NS = 20_000_000;
    static final long FAILURE_MAX_NS = 1_000_000_000;
    /** An attempt whose packets are lost ends soon. */
    static final long ATTEMPT_MIN_NS = 250_000_000;

    static final long ATTEMPT_MAX_NS = 2_000_000_000;
    /** An attempt may take this many times as long as the last one that succeeded. */
    private static final int ATTEMPT_FACTOR = 4;

    private static final long FLAPPING_MIN_NS = 1_000_000;
    private static final long FAILURE_MIN_NS = 5_000_000;
    /** The pause between losses halves in this time. */
    private static final long DECAY_NS = 50_000_000;

    private long flappingNs;
    private long failureNs;
    private long resumedNs;
    private long attemptNs = ATTEMPT_MIN_NS;
    private long attemptedNs;

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

    /** The longest time of the attempt that begins now. The next one may take twice as long if this one fails. */
    long attemptNs(long nowNs) {
        attemptedNs = nowNs;
        long limitNs = attemptNs;
        attemptNs = Math.min(ATTEMPT_MAX_NS, 2 * limitNs);
        return limitNs;
    }

    /** The connection was resumed. */
    void resumed(long nowNs) {
        resumedNs = nowNs;
        attemptNs = Math.clamp(ATTEMPT_FACTOR * (nowNs - attemptedNs), ATTEMPT_MIN_NS, ATTEMPT_MAX_NS);
    }
}
