package io.fairlead.cli.measure;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One end of a contestant, in a process of its own. {@link SideMain} makes it by a constructor, or by a static method {@code open} of another
 * class: both take arguments as {@code List<String>}, and the address of the other end as {@code Optional<String>}, which is empty for the end that
 * listens. Called by one thread, but for {@link #wake()}.
 */
public interface Side extends AutoCloseable {
    /** What the other end connects to. */
    default String address() {
        return "";
    }

    /** Waits until the other end has connected. */
    default void awaitPeer() {}

    /**
     * Does the turn that a line of text describes.
     *
     * @param line what to do
     * @param begun to be run when the other end may begin
     * @return the figures
     */
    String turn(String line, Runnable begun);

    /** Waits while there is nothing to do: for a while, or until {@link #wake()} or the thread is unparked. */
    default void rest() {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }

    /** Ends a rest, from any thread. */
    default void wake() {}

    @Override
    void close();
}
