package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Work;

/** How one contestant sends and receives, for a thread that asks whether something has come. {@link LinkSide} makes the tests of it. */
public interface Link extends AutoCloseable {
    /** What the other side connects to. */
    default String address() {
        return "";
    }

    /** Waits until the other side has connected. */
    default void awaitPeer() {}

    /**
     * Prepares a turn, before the other side sends anything of it. Messages are numbered from 0 either way.
     *
     * @param outgoing messages that this side will send
     * @param incoming messages that it will receive
     * @param inFlight at most so many of either are in flight at once
     */
    void begin(Work work, int outgoing, int incoming, int inFlight);

    /** Writes a message and hands it on, or holds it back until {@link #flush()}; waits while nothing more is taken. */
    void send(long number);

    /** Sends what was held back. */
    default void flush() {}

    /** Lets what was sent leave, before this side has nothing to do until its next turn. */
    default void finish() {}

    /** Receives and compares what has come, and returns how many messages that was. */
    int poll();

    /** Sleeps until something has come, or for a moment, where {@link #poll} has not done so. */
    default void await() {}

    @Override
    void close();
}
