package io.fairlead.benchmarks.contest;

/** How one contestant sends and receives, for a thread that asks whether something has come. {@link LinkSide} makes the tests of it. */
interface Link extends AutoCloseable {
    /** Prepares a turn, as {@link Side#begin}. */
    void begin(int size, int outgoing, int incoming, int inFlight);

    /** Writes a message and hands it on, or holds it back until {@link #flush()}; waits while nothing more is taken. */
    void send(long number);

    /** Sends what was held back. */
    void flush();

    /** Lets what was sent leave, before this side has nothing to do until its next turn. */
    default void finish() {}

    /** Receives and compares what has come, and returns how many messages that was. */
    int poll();

    /** Sleeps until something has come, or for a moment. */
    void await();

    @Override
    void close();
}
