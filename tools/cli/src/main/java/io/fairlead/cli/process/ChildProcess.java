package io.fairlead.cli.process;

import io.fairlead.cli.command.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A {@code fairlead} command in a JVM of its own, which ends with its parent. What it writes, and its end, arrive as events in
 * the queue of its parent. Its standard input is not for data: see {@link ParentWatch}. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
    /** More than a command needs to close its connections gracefully. */
    private static final long GRACE_MS = 4000;

    private final String name;
    private final Process process;
    private final BlockingQueue<ChildEvent> events;

    private ChildProcess(String name, Process process, BlockingQueue<ChildEvent> events) {
        this.name = name;
        this.process = process;
        this.events = events;
    }

    /**
     * Starts a child.
     *
     * @param name what to call it
     * @param args the command line after {@code fairlead}
     * @param events where its events go; unbounded, since a full one would stop the child
     * @return the running child
     */
    public static ChildProcess start(String name, List<String> args, BlockingQueue<ChildEvent> events) {
        try {
            ProcessBuilder builder = new ProcessBuilder(JavaCommand.fairleadChild(args));
            ChildProcess child = new ChildProcess(name, builder.start(), events);
            Thread errors = child.startReader(
                    child.process.errorReader(StandardCharsets.UTF_8), line -> new ChildEvent.Complained(child, line));
            Thread output = child.startReader(
                    child.process.inputReader(StandardCharsets.UTF_8), line -> new ChildEvent.Said(child, line));
            Thread.ofPlatform().daemon().name(name + "-end").start(() -> child.tellEnd(errors, output));
            return child;
        } catch (IOException e) {
            throw CommandFailure.failed("cannot start a process: name=" + name + "; " + e.getMessage());
        }
    }

    private Thread startReader(BufferedReader reader, Function<String, ChildEvent> toEvent) {
        return Thread.ofPlatform().daemon().name(name + "-reader").start(() -> {
            try (reader) {
                reader.lines().map(toEvent).forEach(events::add);
            } catch (IOException | UncheckedIOException e) {
                events.add(new ChildEvent.Complained(this, "its output cannot be read: " + e.getMessage()));
            }
        });
    }

    private void tellEnd(Thread errors, Thread output) {
        try {
            errors.join();
            output.join();
            events.add(new ChildEvent.Ended(this, process.waitFor()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What the parent calls it.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * The process id.
     *
     * @return as the operating system numbers it
     */
    public long pid() {
        return process.pid();
    }

    /** Asks it to end, by the end of its standard input; see {@link ParentWatch}. */
    public void askToEnd() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The pipe is broken already, which has the same effect.
            return;
        }
    }

    /** Ends the child: in order where it does so within 4 seconds, else by force. */
    @Override
    public void close() {
        askToEnd();
        try {
            if (!process.waitFor(GRACE_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return name + " (process " + pid() + ")";
    }
}
