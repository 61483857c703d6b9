package io.fairlead.node.internal.set;

import java.util.concurrent.atomic.AtomicInteger;

/** How many further attempts a set may make: each request earns a part of one, and each further attempt costs one. Thread-safe. */
final class RetryBudget {
    private static final int COST = 100;
    /** Earned in advance, and the most that is kept. */
    private static final int MAX = 10 * COST;

    private final int percent;
    private final AtomicInteger left;

    RetryBudget(int percent) {
        this.percent = percent;
        this.left = new AtomicInteger(percent == 0 ? 0 : MAX);
    }

    /** A request was made. */
    void earn() {
        if (left.get() < MAX) {
            left.updateAndGet(now -> Math.min(MAX, now + percent));
        }
    }

    /** Takes what a further attempt costs; false if it is not there. */
    boolean trySpend() {
        int now = left.get();
        while (now >= COST) {
            if (left.compareAndSet(now, now - COST)) {
                return true;
            }
            now = left.get();
        }
        return false;
    }
}
