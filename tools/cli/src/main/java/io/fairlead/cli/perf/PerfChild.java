package io.fairlead.cli.perf;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.JavaCommand;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process of {@code fairlead perf}, which ends with this one. They speak by lines on its standard input and output; what it says on standard
 * error goes where this one's does. Belongs to one thread.
 */
final class PerfChild implements AutoCloseable {
    private static final long END_LIMIT_S = 5;
    /** Long enough for a side to say by itself that the other one is gone. */
    private static final long FOLLOW_LIMIT_S = 2;

    private final String name;
    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;

    private PerfChild(String name, Process process) {
        this.name = name;
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
    }

    /**
     * Starts one that is measured.
     *
     * @param name what failures call it
     * @param arguments the command line after {@code fairlead perf}
     */
    static PerfChild start(String name, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of("perf"));
        all.addAll(arguments);
        return start(name, new ProcessBuilder(JavaCommand.measuredChild(all)));
    }

    static PerfChild start(String name, ProcessBuilder command) {
        try {
            Process process =
                    command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            return new PerfChild(name, process);
        } catch (IOException failure) {
            throw CommandFailure.failed(name + " cannot be started: " + failure.getMessage());
        }
    }

    String name() {
        return name;
    }

    /** Kills it when another one has ended and it has not noticed: a rival may spin for good on memory that nobody writes any more. */
    void endAfter(PerfChild other) {
        CompletableFuture<?> _ = other.process
                .onExit()
                .thenRunAsync(
                        process::destroyForcibly, CompletableFuture.delayedExecutor(FOLLOW_LIMIT_S, TimeUnit.SECONDS));
    }

    /** Writes a line to it. Whether it is still there is for {@link #hear} to tell. */
    void say(String line) {
        try {
            input.write(line);
            input.newLine();
            input.flush();
        } catch (IOException gone) {
            // Its output ends with it, after its last words.
            return;
        }
    }

    /**
     * Waits for a line from it.
     *
     * @throws CommandFailure if it has ended
     */
    String hear() {
        try {
            String line = output.readLine();
            if (line == null) {
                throw CommandFailure.failed(name + " has ended: " + ending());
            }
            return line;
        } catch (IOException failure) {
            throw CommandFailure.failed(name + " cannot be heard: " + failure.getMessage());
        }
    }

    private String ending() {
        return awaitEnd() ? "status=" + process.exitValue() : "its output was closed";
    }

    private boolean awaitEnd() {
        try {
            return process.waitFor(END_LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Asks it to end by the end of its input, and kills it if it does not. */
    @Override
    public void close() {
        try {
            input.close();
        } catch (IOException gone) {
            // It cannot read any more, which is as good as an end.
            process.destroyForcibly();
        }
        if (!awaitEnd()) {
            process.destroyForcibly();
        }
    }
}
