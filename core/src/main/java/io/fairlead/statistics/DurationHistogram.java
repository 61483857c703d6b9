package io.fairlead.statistics;

import java.util.Objects;

/**
 * A snapshot of a histogram of durations. Immutable and thread-safe.
 *
 * <p>It has {@value #BUCKETS} buckets, the same in every process, so histograms can be added. The bounds run from 64 ns
 * to 17 s, two per doubling; the last bucket is unbounded. Counts never decrease; {@link #since} returns the histogram
 * of the time between two snapshots.
 */
public final class DurationHistogram {
    /** The number of buckets, including the last and unbounded one. */
    public static final int BUCKETS = 58;

    private static final int FIRST_EXPONENT = 6;

    private final long[] counts;
    private final long sumNs;

    /**
     * Creates a histogram from counts, which are copied.
     *
     * @param counts the number of durations in each bucket, 0 and up
     * @param sumNs the sum of all durations, in nanoseconds
     * @throws IllegalArgumentException if the array does not have {@value #BUCKETS} elements
     */
    public DurationHistogram(long[] counts, long sumNs) {
        if (counts.length != BUCKETS) {
            throw new IllegalArgumentException(
                    "a histogram needs one count for each bucket: counts=" + counts.length + ", buckets=" + BUCKETS);
        }
        this.counts = counts.clone();
        this.sumNs = sumNs;
    }

    /**
     * The longest duration of a bucket.
     *
     * @param bucket 0 to {@link #BUCKETS} - 1
     * @return nanoseconds, included; {@link Long#MAX_VALUE} for the last bucket
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public static long boundNs(int bucket) {
        Objects.checkIndex(bucket, BUCKETS);
        if (bucket == BUCKETS - 1) {
            return Long.MAX_VALUE;
        }
        if (bucket == 0) {
            return 1L << FIRST_EXPONENT;
        }
        int exponent = FIRST_EXPONENT + (bucket - 1) / 2;
        return bucket % 2 == 0 ? 1L << (exponent + 1) : (1L << exponent) + (1L << (exponent - 1));
    }

    /**
     * The bucket of a duration: the first whose bound is not below it.
     *
     * @param durationNs nanoseconds; a negative one counts as 0
     * @return 0 to {@link #BUCKETS} - 1
     */
    public static int bucket(long durationNs) {
        if (durationNs <= 1L << FIRST_EXPONENT) {
            return 0;
        }
        long below = durationNs - 1;
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(below);
        int half = (int) (below >>> (exponent - 1)) & 1;
        return Math.min(BUCKETS - 1, 2 * (exponent - FIRST_EXPONENT) + half + 1);
    }

    /**
     * The number of durations in one bucket.
     *
     * @param bucket 0 to {@link #BUCKETS} - 1
     * @return 0 and up
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public long count(int bucket) {
        return counts[Objects.checkIndex(bucket, BUCKETS)];
    }

    /**
     * The number of durations in all buckets.
     *
     * @return 0 and up
     */
    public long count() {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        return total;
    }

    /**
     * The sum of all durations.
     *
     * @return nanoseconds
     */
    public long sumNs() {
        return sumNs;
    }

    /**
     * A quantile: the duration that the given share of all durations does not exceed, rounded up to the bound of its
     * bucket.
     *
     * @param share 0 to 1, such as 0.99
     * @return nanoseconds; 0 if nothing was counted, {@link Long#MAX_VALUE} if the quantile is in the last bucket
     * @throws IllegalArgumentException if the share is out of range
     */
    public long quantileNs(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share out of range: share=" + share + ", allowed 0 to 1");
        }
        long total = count();
        if (total == 0) {
            return 0;
        }
        long wanted = Math.max(1, (long) Math.ceil(share * total));
        int bucket = 0;
        for (long seen = counts[0]; seen < wanted; seen += counts[bucket]) {
            bucket++;
        }
        return boundNs(bucket);
    }

    /**
     * The durations that were counted since an earlier snapshot.
     *
     * @param earlier an earlier snapshot of the same histogram
     * @return a histogram of only those durations
     */
    public DurationHistogram since(DurationHistogram earlier) {
        long[] difference = counts.clone();
        for (int i = 0; i < BUCKETS; i++) {
            difference[i] -= earlier.counts[i];
        }
        return new DurationHistogram(difference, sumNs - earlier.sumNs);
    }

    @Override
    public String toString() {
        return "DurationHistogram[count=" + count() + ", sum=" + sumNs + " ns, p50=" + quantileNs(0.5) + " ns, p99="
                + quantileNs(0.99) + " ns]";
    }
}
