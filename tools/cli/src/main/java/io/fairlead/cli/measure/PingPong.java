package io.fairlead.cli.measure;

/** One side of an exchange of messages of one size, one at a time, by a thread that spins. */
public interface PingPong extends AutoCloseable {
    /** Sends a message and waits for the answer. */
    void ask();

    /** Waits for a message and sends it back. */
    void answer();

    /** Lets the last answer leave before the other contestant has its turn. */
    void settle();

    @Override
    void close();
}
