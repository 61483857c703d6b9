package io.fairlead.cli.soak;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** What one side of a round has counted, and what was wrong. Thread-safe. */
final class Tally {
    /** More faults of a side say nothing new. */
    private static final int FAULTS_MAX = 20;

    private final AtomicLong operations = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final List<String> faults = new CopyOnWriteArrayList<>();

    /**
     * What a member tells of its half.
     *
     * @param operations operations that were posted, messages that arrived and requests that were served
     * @param failures those that ended with a failure that the round allows
     * @param faults what must not have happened
     */
    record Result(long operations, long failures, List<String> faults) {
        Result {
            faults = List.copyOf(faults);
        }
    }

    void count() {
        operations.incrementAndGet();
    }

    void countFailure() {
        failures.incrementAndGet();
    }

    void fault(String format, Object... arguments) {
        if (faults.size() < FAULTS_MAX) {
            faults.add(String.format(Locale.ROOT, format, arguments));
        }
    }

    Result result() {
        return new Result(operations.get(), failures.get(), faults);
    }
}
