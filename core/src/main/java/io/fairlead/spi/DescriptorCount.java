package io.fairlead.spi;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counts the free descriptors of a process, and bounds what that costs where the kernel does not tell the number. Thread-safe. */
final class DescriptorCount {
    /** Above so many free ones a count is good for a while. */
    static final int PLENTY = 256;

    /** For so long at least. */
    static final long WHILE_NS = 10_000_000;
    /** A count of a process with many open descriptors is good for so many times as long as it took. */
    static final int COST_FACTOR = 10;
    /** With few free ones a count that takes less than this is made again each time. */
    static final long CHEAP_NS = 1_000_000;
    /** How many descriptors other threads may open or close between two looks. */
    private static final int BETWEEN_MAX = 8;

    private final Supplier<String @Nullable []> list;
    private final LongSupplier size;
    private final LongSupplier clock;

    /** The size of the folder is the number of its entries; looked at with the first count. */
    private boolean sizeTells;

    private boolean judged;
    /** The last count: how many were free, when, how long that took, and how often it was asked for since. */
    private int counted;

    private long countedNs;
    private long costNs;
    private int asked;

    /**
     * Creates it without a count.
     *
     * @param list the open descriptors and the one that lists them; null if there is none for that
     * @param size the size of the folder that they are listed in, which is their number since Linux 6.2
     * @param clock in nanoseconds
     */
    DescriptorCount(Supplier<String @Nullable []> list, LongSupplier size, LongSupplier clock) {
        this.list = list;
        this.size = size;
        this.clock = clock;
    }

    /** How many descriptors are free below a limit. */
    synchronized int free(int limit) {
        if (sizeTells) {
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
        // The one that lists them is among them.
        int others = open.length - 1;
        if (!judged) {
            judged = true;
            sizeTells = others > 0 && Math.abs(size.getAsLong() - others) <= BETWEEN_MAX;
        }
        return Math.max(limit - others, 0);
    }
}
