package io.fairlead.cli.process;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Ends a child when its parent does. The parent holds the other end of the child's standard input, so that its end, however it came about, is an end
 * of file here.
 */
final class ParentWatch {
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(3);

    private ParentWatch() {}

    /**
     * Watches from a thread of its own for as long as the process lives, where the parent writes nothing.
     *
     * @param end as for {@link #start(Consumer, Runnable)}
     */
    static void start(Runnable end) {
        start(_ -> {}, end);
    }

    /**
     * Watches from a thread of its own for as long as the process lives.
     *
     * @param lines takes what the parent writes
     * @param end asks the command to end; if it has not after 3 seconds, the process is halted with status 1
     */
    static void start(Consumer<String> lines, Runnable end) {
        Thread.ofPlatform().daemon().name("fairlead-parent-watch").start(() -> {
            readToEnd(System.in, lines);
            end.run();
            long deadline = System.nanoTime() + GRACE_NS;
            while (System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(deadline - System.nanoTime());
            }
            Runtime.getRuntime().halt(1);
        });
    }

    private static void readToEnd(InputStream input, Consumer<String> lines) {
        // Not closed: the input is the process's.
        BufferedReader reader = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        try {
            reader.lines().forEach(lines);
        } catch (UncheckedIOException e) {
            // An input that cannot be read is as much the parent's end as one that has ended.
            return;
        }
    }
}
