package io.fairlead.node.internal.request;

import io.fairlead.node.RequestCounter;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** What one loop counts of requests. The loop's thread writes, any thread reads. */
@SuppressWarnings("EnumOrdinal") // An index of counters.
final class RequestCounters {
    private static final RequestCounter[] COUNTERS = RequestCounter.values();

    private final AtomicLongArray values = new AtomicLongArray(COUNTERS.length);
    /** What other threads count, where few events do. */
    private final LongAdder[] others = new LongAdder[COUNTERS.length];

    RequestCounters() {
        for (int i = 0; i < others.length; i++) {
            others[i] = new LongAdder();
        }
    }

    void add(RequestCounter counter) {
        add(counter, 1);
    }

    void add(RequestCounter counter, int count) {
        int index = counter.ordinal();
        values.setOpaque(index, values.getPlain(index) + count);
    }

    /** Counts on any thread. */
    void addFromAnywhere(RequestCounter counter) {
        others[counter.ordinal()].increment();
    }

    long value(RequestCounter counter) {
        return values.getOpaque(counter.ordinal()) + others[counter.ordinal()].sum();
    }
}
