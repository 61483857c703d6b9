package io.fairlead.cli.measure;

/**
 * One side of a test, of which the other is in another process. Belongs to the thread that made it.
 *
 * <p>Each test has classes of its own with loops of their own: a loop that several tests share would pay for the JVM's guess at
 * which of them it serves.
 */
public interface Contestant extends AutoCloseable {
    /**
     * What the other side must know to reach this one.
     *
     * @return opaque
     */
    byte[] introduction();

    /**
     * Learns of the other side. Called on both before anything else.
     *
     * @param introduction what the other side's {@link #introduction()} gave
     */
    void meet(byte[] introduction);

    /**
     * Runs operations, while the other side follows with the same count.
     *
     * @param count how many
     * @param laps told of the beginning, of each operation of a test of latency, and of the end
     */
    void lead(long count, Laps laps);

    /**
     * Does what the other side's operations need.
     *
     * @param count as many as the other side leads
     */
    void follow(long count);

    /** Frees what this side holds; the other side may still be there. */
    @Override
    void close();
}
