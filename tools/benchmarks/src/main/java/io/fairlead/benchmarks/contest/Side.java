package io.fairlead.benchmarks.contest;

import org.HdrHistogram.Histogram;

/** One side of a contestant, connected to the other one in another process. Called by one thread; messages of a turn are numbered from 0 either way. */
interface Side extends AutoCloseable {
    /**
     * Prepares a turn, before the other side sends anything of it.
     *
     * @param size bytes of its messages
     * @param outgoing messages that this side will send
     * @param incoming messages that it will receive
     * @param inFlight at most so many of either are on their way at once
     */
    void begin(int size, int outgoing, int incoming, int inFlight);

    /**
     * Sends messages, each when the answer to the one before is here.
     *
     * @param count how many
     * @param intervalNs 0 to send each at once; else the times at which they are due, of which they are timed, however late the one before was answered
     * @param times takes the round trips in nanoseconds
     */
    void ask(int count, long intervalNs, Histogram times);

    /** Answers so many messages. */
    void answer(int count);

    /** Sends so many messages one after the other; some may be on their way when it returns. */
    void stream(int count);

    /** Receives so many messages. */
    void drain(int count);

    @Override
    void close();
}
