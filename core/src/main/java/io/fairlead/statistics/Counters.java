package io.fairlead.statistics;

/**
 * Numbers that a worker or endpoint counts while it works. Reading costs the data path nothing: the owner writes plain
 * memory, readers on any thread see values that are at most moments old, each whole.
 */
public interface Counters {
    /**
     * The present value.
     *
     * @param counter which
     * @return 0 and up
     */
    long value(Counter counter);
}
