package io.fairlead.benchmarks.scale;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What a process of a table does. Called by one thread, but for {@link #wake()}. */
interface Role extends AutoCloseable {
    /** What the other process, or the table, must know of it. */
    String introduction();

    /** Does what the table wants, and returns what it has come to. */
    String turn(List<String> words);

    /** Waits while there is nothing to do: for a while, or until {@link #wake()} or the thread is unparked. */
    default void rest() {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }

    /** Ends a rest, from any thread. */
    default void wake() {}

    @Override
    void close();
}
