package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Allocations;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;

/** Both sides of a test between this process and the other, driven from here. */
final class Pairing implements AutoCloseable {
    private final PerfConnection connection;
    private final String subject;
    private final PerfCase perfCase;
    private final Contestant contestant;

    /**
     * What a round has come to.
     *
     * @param medianUs the median time, half of it for round trips; 0 for tests of rates
     * @param meanUs the round's time over its operations, half of it for round trips
     * @param rate operations per second
     * @param allocated heap bytes, of the side that allocates more
     */
    record Round(double medianUs, double meanUs, double rate, long allocated) {}

    Pairing(PerfConnection connection, String subject, PerfCase perfCase, Contestant contestant) {
        this.connection = connection;
        this.subject = subject;
        this.perfCase = perfCase;
        this.contestant = contestant;
    }

    PerfTest test() {
        return perfCase.test();
    }

    Round round(long count, Laps laps) {
        connection.ask("run " + subject + " " + count);
        long before = Allocations.ofThisThread();
        contestant.lead(count, laps);
        long allocated = Allocations.ofThisThread() - before;
        long allocatedThere = Long.parseLong(connection.hear().split(" ", -1)[1]);
        double seconds = laps.tookNs() / 1e9;
        return new Round(
                perfCase.test().kind() == PerfTest.Kind.RATE ? 0 : laps.medianUs(),
                laps.meanUs(),
                count / seconds,
                Math.max(allocated, allocatedThere));
    }

    /** Ends the test on both sides. */
    @Override
    public void close() {
        connection.ask("close " + subject);
        contestant.close();
    }
}
