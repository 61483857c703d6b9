package io.fairlead.spring;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do, under a deadline. */
public final class Await {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long PAUSE_NS = 2_000_000;

    private Await() {}

    /** Returns when the condition holds. */
    public static void until(String what, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
