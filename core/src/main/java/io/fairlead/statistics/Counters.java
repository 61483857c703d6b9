package io.fairlead.statistics;

/**
 * The counters of an endpoint, a worker or a context. Thread-safe: any thread may read them at any time.
 *
 * <p>The owner writes without synchronization, so that reading costs the data path nothing. A reader sees values that are moments old. Each is a
 * whole 64-bit number, and two that are read one after the other need not fit each other.
 */
public interface Counters {
    /**
     * The present value of a counter.
     *
     * @param counter which
     * @return 0 and up; 0 for a counter that this object does not have
     */
    long value(Counter counter);
}
