package io.fairlead.cli.measure;

/**
 * The figures of one turn. Times are of whole operations, so of round trips; 0 where none was timed.
 *
 * @param perSecond operations of the leading side; of one-way messages those that were received
 * @param p50Us median time, in microseconds
 * @param p90Us the 90th percentile
 * @param p99Us the 99th percentile
 * @param p999Us the 99.9th percentile
 * @param maxUs the longest
 * @param processorUs processor time of both processes for each operation; 0 if unknown
 * @param allocated heap bytes for each operation, of the side that allocates more; not a number if unknown
 * @param batch operations that were timed together
 */
public record Turn(
        double perSecond,
        double p50Us,
        double p90Us,
        double p99Us,
        double p999Us,
        double maxUs,
        double processorUs,
        double allocated,
        int batch) {
    /** Where a rate and a median are all that is known. */
    public static Turn of(double perSecond, double p50Us) {
        return new Turn(perSecond, p50Us, 0, 0, 0, 0, 0, Double.NaN, 1);
    }

    /** Of a leading side whose laps are these. */
    public static Turn of(Work work, Laps laps, double allocatedBytes) {
        return new Turn(
                work.count() * 1e9 / (laps.endNs() - laps.startNs()),
                laps.percentileUs(50),
                laps.percentileUs(90),
                laps.percentileUs(99),
                laps.percentileUs(99.9),
                laps.percentileUs(100),
                0,
                allocatedBytes / work.test().trips() / work.count(),
                work.batch());
    }

    /** The mean time of an operation, where they go one at a time. */
    public double meanUs() {
        return 1e6 / perSecond;
    }
}
