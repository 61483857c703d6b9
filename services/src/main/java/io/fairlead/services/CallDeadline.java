package io.fairlead.services;

import java.time.Duration;

/** The time by which the calls of a thread have to end. */
final class CallDeadline {
    private static final ScopedValue<Long> END_NS = ScopedValue.newInstance();
    private static final Duration MOST = Duration.ofDays(1);

    private CallDeadline() {}

    static <R, X extends Throwable> R within(Duration time, ScopedValue.CallableOp<? extends R, X> calls) throws X {
        if (time.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("time of calls out of range: time=" + time + ", allowed up to a day");
        }
        long nowNs = System.nanoTime();
        long leftNs = time.isNegative() ? 0 : time.toNanos();
        if (END_NS.isBound()) {
            leftNs = Math.min(leftNs, END_NS.get() - nowNs);
        }
        return ScopedValue.where(END_NS, nowNs + leftNs).call(calls);
    }

    /** What is left for a call, which is zero or less if it has to end before it has begun. */
    static Duration left(Duration deadline) {
        if (!END_NS.isBound()) {
            return deadline;
        }
        Duration left = Duration.ofNanos(END_NS.get() - System.nanoTime());
        return left.compareTo(deadline) < 0 ? left : deadline;
    }
}
