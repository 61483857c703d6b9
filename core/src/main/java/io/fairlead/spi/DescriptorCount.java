package io.fairlead.spi;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the free descriptors of a process, at a bounded cost if the kernel does not report the number. Thread-safe.
 */
final class DescriptorCount {
    /** Above this many free descriptors a count is cached. */
    static final int PLENTY = 256;

    /** The minimum time that a count is cached. */
    static final long WHILE_NS = 10_000_000;
    /** With many open descriptors a count is cached for this many times its own duration. */
    static final int COST_FACTOR = 10;
    /** With few free descriptors, a count that takes less than this is not cached. */
    static final long CHEAP_NS = 1_000_000;
    /** How many descriptors other threads may open or close between two counts. */
    private static final int BETWEEN_MAX = 8;

    private final Supplier<String @Nullable []> list;
    private final LongSupplier size;
    private final LongSupplier clock;

    /** The size of the folder is the number of its entries; checked with the first count. */
    private boolean sizeIsCount;

    private boolean judged;
    /** The last count: free descriptors, time, duration, and calls since. */
    private int counted;

    private long countedNs;
    private long costNs;
    private int asked;

    /**
     * Creates it without a count.
     *
     * @param list the open descriptors, including the one that reads the list; null if none is left for it
     * @param size the size of the folder of descriptors, which is their number since Linux 6.2
     * @param clock in nanoseconds
     */
    DescriptorCount(Supplier<String @Nullable []> list, LongSupplier size, LongSupplier clock) {
        this.list = list;
        this.size = size;
        this.clock = clock;
    }

    /** How many descriptors are free below a limit. */
    synchronized int free(int limit) {
        if (sizeIsCount) {
            return (int) Math.max(limit - size.getAsLong(), 0);
        }
        long nowNs = clock.getAsLong();
        if (isStale(nowNs - countedNs)) {
            counted = count(limit);
            countedNs = clock.getAsLong();
            costNs = countedNs - nowNs;
            asked = 0;
        }
        asked++;
        return Math.max(counted - asked + 1, 0);
    }

    private boolean isStale(long ageNs) {
        boolean few = counted - asked <= PLENTY || asked >= counted / 2;
        return few ? costNs < CHEAP_NS || ageNs >= costNs : ageNs >= Math.max(WHILE_NS, COST_FACTOR * costNs);
    }

    private int count(int limit) {
        String[] open = list.get();
        if (open == null) {
            return 0;
        }
        // The descriptor that reads the list is in the list.
        int others = open.length - 1;
        if (!judged) {
            judged = true;
            sizeIsCount = others > 0 && Math.abs(size.getAsLong() - others) <= BETWEEN_MAX;
        }
        return Math.max(limit - others, 0);
    }
}
