package io.fairlead.cli.measure;

import org.HdrHistogram.Histogram;

/**
 * The times of one turn. Operations that take less than about a microsecond are timed in batches, because reading the clock takes 20 to 30
 * nanoseconds; the mean of a batch is recorded then. Allocates nothing once made.
 */
public final class Laps {
    /** Recorded in picoseconds, because means of batches fall between two nanoseconds. */
    private static final long PICOSECONDS = 1000;

    private static final long LONGEST_PS = 100_000_000_000_000L;
    private static final double PS_PER_US = 1e6;

    private final Histogram times = new Histogram(LONGEST_PS, 3);
    private int batch = 1;
    private int inBatch;
    private long startNs;
    private long lastNs;
    private long endNs;

    /** Forgets the turn before; of a test of rates no single operation is timed. */
    public void reset(Work work) {
        times.reset();
        batch = work.test().isRate() ? Integer.MAX_VALUE : work.batch();
        inBatch = 0;
    }

    /** Begins the turn. */
    public void start() {
        startNs = System.nanoTime();
        lastNs = startNs;
    }

    /** An operation has ended, and the next begins. */
    public void lap() {
        if (++inBatch == batch) {
            long now = System.nanoTime();
            times.recordValue(Math.min(LONGEST_PS, (now - lastNs) * PICOSECONDS / batch));
            lastNs = now;
            inBatch = 0;
        }
    }

    /** An operation has ended that took so long. */
    public void record(long tookNs) {
        times.recordValue(Math.min(LONGEST_PS, tookNs * PICOSECONDS));
    }

    /** Ends the turn. */
    public void stop() {
        endNs = System.nanoTime();
    }

    /** When the turn began. */
    public long startNs() {
        return startNs;
    }

    /** When it ended. */
    public long endNs() {
        return endNs;
    }

    /** A percentile; 0 where no operation was timed. */
    public double percentileUs(double percent) {
        return times.getTotalCount() == 0 ? 0 : times.getValueAtPercentile(percent) / PS_PER_US;
    }
}
