package io.fairlead.cli.measure;

import org.HdrHistogram.Histogram;

/**
 * The times of one contestant, round by round. Operations that take less than about a microsecond are timed in batches, because
 * reading the clock takes 20 to 30 nanoseconds; what is recorded then is the mean of a batch. Allocates nothing once made.
 */
public final class Laps {
    /** Recorded in picoseconds, because means of batches fall between two nanoseconds. */
    private static final long PICOSECONDS = 1000;

    private static final long LONGEST_PS = 100_000_000_000_000L;
    private static final int DIGITS = 3;
    private static final double PS_PER_US = 1e6;
    private static final double NS_PER_US = 1e3;

    private final Histogram round = new Histogram(LONGEST_PS, DIGITS);
    private final Histogram all = new Histogram(LONGEST_PS, DIGITS);
    private final int batch;
    private final int trips;
    private int inBatch;
    private long operations;
    private long startNs;
    private long lastNs;
    private long tookNs;

    /**
     * Makes an empty one.
     *
     * @param batch operations that are timed together
     * @param trips what a time is divided by: 2 for half round trips
     */
    public Laps(int batch, int trips) {
        this.batch = batch;
        this.trips = trips;
    }

    /**
     * How many operations are timed together.
     *
     * @return 1 and up
     */
    public int batch() {
        return batch;
    }

    /** Begins a round, and forgets the round before. */
    public void start() {
        round.reset();
        operations = 0;
        inBatch = 0;
        startNs = System.nanoTime();
        lastNs = startNs;
    }

    /** An operation has ended. */
    public void lap() {
        if (++inBatch == batch) {
            long now = System.nanoTime();
            round.recordValue(Math.min(LONGEST_PS, (now - lastNs) * PICOSECONDS / (batch * (long) trips)));
            lastNs = now;
            inBatch = 0;
        }
    }

    /**
     * Ends a round.
     *
     * @param count its operations
     */
    public void stop(long count) {
        tookNs = System.nanoTime() - startNs;
        operations = count;
    }

    /** Counts the last round among those of {@link #percentileUs}. */
    public void keep() {
        all.add(round);
    }

    /**
     * The median of the last round.
     *
     * @return microseconds; 0 for tests whose operations are not timed one by one
     */
    public double medianUs() {
        return round.getValueAtPercentile(50) / PS_PER_US;
    }

    /**
     * The mean of the last round: its time over its operations.
     *
     * @return microseconds
     */
    public double meanUs() {
        return tookNs / NS_PER_US / operations / trips;
    }

    /**
     * A percentile over all rounds that were kept.
     *
     * @param percent 0 to 100
     * @return microseconds
     */
    public double percentileUs(double percent) {
        return all.getValueAtPercentile(percent) / PS_PER_US;
    }

    /**
     * How long the last round took.
     *
     * @return nanoseconds
     */
    public long tookNs() {
        return tookNs;
    }
}
