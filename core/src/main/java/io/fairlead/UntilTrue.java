package io.fairlead;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** A progress loop with a condition and a deadline. */
final class UntilTrue {
    /** Interval at which the condition is polled again without an event of the worker. */
    private static final long LOOK_NS = 100_000_000L;

    private UntilTrue() {}

    static boolean progress(Worker worker, BooleanSupplier condition, Duration timeout) {
        Objects.requireNonNull(condition, "condition");
        long timeoutNs = nanoseconds(timeout);
        long startNs = System.nanoTime();
        while (true) {
            int events = worker.progress();
            if (condition.getAsBoolean()) {
                return true;
            }
            long leftNs = timeoutNs - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                return false;
            }
            if (events == 0) {
                worker.await(Math.min(leftNs, LOOK_NS));
            }
        }
    }

    private static long nanoseconds(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("timeout out of range: timeout=" + timeout + ", allowed 0 and up");
        }
        try {
            return timeout.toNanos();
        } catch (ArithmeticException longerThanAnybodyWaits) {
            return Long.MAX_VALUE;
        }
    }
}
