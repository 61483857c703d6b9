package io.fairlead.benchmarks.contest;

import java.io.IOException;

/** A contestant whose processes run. */
public interface Entrant extends AutoCloseable {
    /** As tables have it. */
    String title();

    /** Does work once, while all others wait. */
    Turn turn(Work work) throws IOException;

    /** Lets compilers finish, while nobody spins. */
    void rest() throws IOException;

    @Override
    void close();
}
