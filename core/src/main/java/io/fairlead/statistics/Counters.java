package io.fairlead.statistics;

/**
 * The counters of an endpoint, a worker or a context. Thread-safe: any thread may read them at any time.
 *
 * <p>The owner writes without synchronization, so counting is cheap on the data path. A reader sees values that are
 * moments old. Each value is a whole 64-bit number. Two values that are read one after the other may be inconsistent.
 */
public interface Counters {
    /**
     * The current value of a counter.
     *
     * @param counter the counter
     * @return 0 and up; 0 for a counter that this object does not have
     */
    long value(Counter counter);
}
