package io.fairlead.pubsub;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** The waits between attempts: they double from the least to the most, each less a random part of up to a half. */
final class Retry {
    private final long minNs;
    private final long maxNs;
    private final RandomGenerator random;
    private long nextNs;

    Retry(Duration min, Duration max, RandomGenerator random) {
        this.minNs = min.toNanos();
        this.maxNs = max.toNanos();
        this.random = random;
        reset();
    }

    /** The wait before the next attempt; the one after is longer. */
    long delayNs() {
        long base = nextNs;
        nextNs = base > maxNs / 2 ? maxNs : base * 2;
        return base - random.nextLong(base / 2 + 1);
    }

    /** An attempt has succeeded. */
    void reset() {
        nextNs = minNs;
    }
}
