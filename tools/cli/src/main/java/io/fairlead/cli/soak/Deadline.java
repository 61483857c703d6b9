package io.fairlead.cli.soak;

import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The time after which something hangs. */
final class Deadline {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(SoakMember.LIMIT_S / 2);

    private long end = System.nanoTime() + LIMIT_NS;
    private long seen;

    boolean isOver() {
        return System.nanoTime() - end >= 0;
    }

    /** Begins anew if a count has changed: what is slow does not hang. */
    Deadline renewedBy(long progress) {
        if (progress != seen) {
            seen = progress;
            end = System.nanoTime() + LIMIT_NS;
        }
        return this;
    }

    /** Drives a worker until a condition holds, at most until this is over. */
    void drive(Worker worker, BooleanSupplier condition) {
        IdleStrategy idle = IdleStrategy.backOff();
        while (!condition.getAsBoolean() && !isOver()) {
            idle.idle(worker, worker.progress());
        }
    }
}
