package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Contestant;
import java.util.Optional;

/** What Fairlead is compared with in its own two processes. Belongs to the thread that opened it. */
public interface Rival extends AutoCloseable {
    /**
     * Makes one side of a test.
     *
     * @param test which
     * @param size bytes of an operation
     * @param window operations on their way at once
     * @return empty for what this rival cannot do
     */
    Optional<Contestant> contestant(PerfTest test, int size, int window);

    /** Frees what it holds; every side of it is closed before. */
    @Override
    void close();
}
