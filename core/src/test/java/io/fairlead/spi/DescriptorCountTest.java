package io.fairlead.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class DescriptorCountTest {
    private static final int LIMIT = 10_000;

    /** Open descriptors, without the one that lists them. */
    private int open = 40;

    private boolean isSizeTold;
    private long nowNs = 77;
    private long costNs;
    private int lists;
    private final DescriptorCount count = new DescriptorCount(this::list, () -> isSizeTold ? open : 0, () -> nowNs);

    private String[] list() {
        lists++;
        nowNs += costNs;
        return new String[open + 1];
    }

    @Test
    void shouldAskTheKernelEachTimeWhereItTellsTheNumber() {
        isSizeTold = true;
        assertEquals(LIMIT - 40, count.free(LIMIT));
        open = LIMIT - 3;
        assertEquals(3, count.free(LIMIT));
        open = LIMIT + 3;
        assertEquals(0, count.free(LIMIT));
        open = 50;
        assertEquals(LIMIT - 50, count.free(LIMIT));
        assertEquals(1, lists);
    }

    @Test
    void shouldCountEachTimeWhileFewAreFree() {
        open = LIMIT - DescriptorCount.PLENTY;
        assertEquals(DescriptorCount.PLENTY, count.free(LIMIT));
        open = LIMIT - 16;
        assertEquals(16, count.free(LIMIT));
        assertEquals(2, lists);
    }

    @Test
    void shouldTakeARecentCountWhilePlentyAreFree() {
        assertEquals(LIMIT - 40, count.free(LIMIT));
        open = LIMIT - 16;
        nowNs += DescriptorCount.WHILE_NS - 1;
        assertEquals(LIMIT - 41, count.free(LIMIT));
        assertEquals(1, lists);
        nowNs++;
        assertEquals(16, count.free(LIMIT));
        assertEquals(2, lists);
    }

    @Test
    void shouldCountAgainBeforeThoseThatWereFreeCanBeUsedUp() {
        int atOnce = 0;
        while (lists < 2) {
            int _ = count.free(LIMIT);
            atOnce++;
        }
        assertEquals((LIMIT - 40) / 2 + 1, atOnce);
    }

    @Test
    void shouldCountLessOftenWhereThatTakesLong() {
        costNs = 100_000_000;
        assertEquals(LIMIT - 40, count.free(LIMIT));
        nowNs += DescriptorCount.COST_FACTOR * costNs - 1;
        assertEquals(LIMIT - 41, count.free(LIMIT));
        nowNs++;
        open = LIMIT - 16;
        assertEquals(16, count.free(LIMIT));
        assertEquals(15, count.free(LIMIT));
        nowNs += costNs - 1;
        assertEquals(14, count.free(LIMIT));
        nowNs++;
        assertEquals(16, count.free(LIMIT));
        assertEquals(3, lists);
    }

    @Test
    void shouldFindNoneFreeWhereNoneIsLeftToCountWith() {
        DescriptorCount without = new DescriptorCount(() -> null, () -> 0, () -> nowNs);
        assertEquals(0, without.free(LIMIT));
    }
}
