package io.fairlead.cli.measure;

import java.io.IOException;

/** What is measured beside others: it takes turns with them, and waits while they have theirs. Called by one thread. */
public interface Contestant extends AutoCloseable {
    /** Its name in tables and reports. */
    String title();

    /** Does work once, while all others wait. */
    Turn turn(Work work) throws IOException;

    /** Lets its compilers finish, while nobody spins. */
    void rest() throws IOException;

    /** Whether it has such a test. */
    default boolean has(PerfTest test) {
        return true;
    }

    /** Whether its first turn is as fast as its last. */
    default boolean isCompiled() {
        return false;
    }

    @Override
    void close();
}
