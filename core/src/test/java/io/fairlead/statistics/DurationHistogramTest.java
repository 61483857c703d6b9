package io.fairlead.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class DurationHistogramTest {
    @Test
    void shouldPutEachBoundIntoItsOwnBucketAndTheNextDurationIntoTheNext() {
        for (int bucket = 0; bucket < DurationHistogram.BUCKETS - 1; bucket++) {
            long boundNs = DurationHistogram.boundNs(bucket);
            assertEquals(bucket, DurationHistogram.bucket(boundNs), "bound " + boundNs);
            assertEquals(bucket + 1, DurationHistogram.bucket(boundNs + 1), "behind bound " + boundNs);
        }
    }

    @Test
    void shouldReachFrom64NanosecondsTo17Seconds() {
        assertEquals(64, DurationHistogram.boundNs(0));
        assertEquals(96, DurationHistogram.boundNs(1));
        assertEquals(128, DurationHistogram.boundNs(2));
        assertEquals(1L << 34, DurationHistogram.boundNs(DurationHistogram.BUCKETS - 2));
        assertEquals(Long.MAX_VALUE, DurationHistogram.boundNs(DurationHistogram.BUCKETS - 1));
        assertEquals(0, DurationHistogram.bucket(Long.MIN_VALUE));
        assertEquals(0, DurationHistogram.bucket(0));
        assertEquals(DurationHistogram.BUCKETS - 1, DurationHistogram.bucket(Long.MAX_VALUE));
        assertThrows(IndexOutOfBoundsException.class, () -> DurationHistogram.boundNs(DurationHistogram.BUCKETS));
        assertThrows(IndexOutOfBoundsException.class, () -> DurationHistogram.boundNs(-1));
    }

    @Test
    void shouldGrowFromBucketToBucket() {
        for (int bucket = 1; bucket < DurationHistogram.BUCKETS; bucket++) {
            assertTrue(DurationHistogram.boundNs(bucket) > DurationHistogram.boundNs(bucket - 1));
        }
    }

    @Test
    void shouldTellQuantilesByTheBoundsOfBuckets() {
        long[] counts = new long[DurationHistogram.BUCKETS];
        counts[DurationHistogram.bucket(1_000)] = 98;
        counts[DurationHistogram.bucket(50_000)] = 1;
        counts[DurationHistogram.bucket(Long.MAX_VALUE)] = 1;
        DurationHistogram histogram = new DurationHistogram(counts, 1);

        assertEquals(100, histogram.count());
        assertEquals(1024, histogram.quantileNs(0));
        assertEquals(1024, histogram.quantileNs(0.98));
        assertEquals(65_536, histogram.quantileNs(0.99));
        assertEquals(Long.MAX_VALUE, histogram.quantileNs(1));
        assertEquals(0, new DurationHistogram(new long[DurationHistogram.BUCKETS], 0).quantileNs(0.5));
        assertThrows(IllegalArgumentException.class, () -> histogram.quantileNs(1.01));
        assertThrows(IllegalArgumentException.class, () -> histogram.quantileNs(Double.NaN));
    }

    @Test
    void shouldTellWhatWasCountedSinceAnEarlierMoment() {
        long[] counts = new long[DurationHistogram.BUCKETS];
        counts[3] = 5;
        DurationHistogram earlier = new DurationHistogram(counts, 50);
        counts[3] = 7;
        counts[9] = 1;
        DurationHistogram difference = new DurationHistogram(counts, 90).since(earlier);

        assertEquals(5, earlier.count(), "the histogram has a copy of its own");
        assertEquals(2, difference.count(3));
        assertEquals(1, difference.count(9));
        assertEquals(40, difference.sumNs());
        assertEquals(3, difference.count());
    }

    @Test
    void shouldRefuseAnotherNumberOfBuckets() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new DurationHistogram(new long[DurationHistogram.BUCKETS - 1], 0));
    }
}
