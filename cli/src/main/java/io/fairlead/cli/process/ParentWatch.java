package io.fairlead.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends a child when its parent does. The parent holds the other end of the child's standard input and writes nothing, so
 * that its end, however it came about, is an end of file here.
 */
final class ParentWatch {
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(3);

    private ParentWatch() {}

    /**
     * Watches from a thread of its own for as long as the process lives.
     *
     * @param end asks the command to end; if it has not after 3 seconds, the process is halted with status 1
     */
    static void start(Runnable end) {
        Thread.ofPlatform().daemon().name("fairlead-parent-watch").start(() -> {
            awaitEndOf(System.in);
            end.run();
            long deadline = System.nanoTime() + GRACE_NS;
            while (System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(deadline - System.nanoTime());
            }
            Runtime.getRuntime().halt(1);
        });
    }

    private static void awaitEndOf(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // An input that cannot be read is as much the parent's end as one that has ended.
            return;
        }
    }
}
