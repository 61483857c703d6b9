package io.fairlead.benchmarks.contest;

/**
 * What one turn has come to.
 *
 * @param perSecond messages of the leading side, those that were received
 * @param p50Us median round trip, in microseconds; 0 for streams
 * @param p99Us the 99th percentile
 * @param p999Us the 99.9th
 * @param processorUs processor time that both processes have taken for each message; 0 if unknown
 */
public record Turn(double perSecond, double p50Us, double p99Us, double p999Us, double processorUs) {}
