package io.fairlead.testkit;

import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A server that others wrote, as a process of a test's own: a program from {@code PATH}, or from where {@code ./fairlead test} unpacks it. Its test is skipped where
 * there is none. Not thread-safe.
 */
public final class OutsideServer implements AutoCloseable {
    private static final Path UNPACKED = RepositoryRoot.path().resolve("target/tools");
    private static final long DEADLINE_S = 60;

    private final Process process;
    private final Path output;

    private OutsideServer(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts a program, or skips the test.
     *
     * @param name the program
     * @param output where both of its outputs go
     * @param arguments behind its name
     * @return the server, which may not be ready yet
     * @throws IOException if it cannot be started
     */
    public static OutsideServer start(String name, Path output, List<String> arguments) throws IOException {
        Path program = find(name);
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        if (program.startsWith(UNPACKED)) {
            builder.environment()
                    .put("LD_LIBRARY_PATH", libraries(program.resolve("../..").normalize()));
        }
        return new OutsideServer(builder.start(), output);
    }

    private static Path find(String name) {
        Stream<Path> installed = Pattern.compile(":")
                .splitAsStream(System.getenv().getOrDefault("PATH", "") + ":/usr/sbin")
                .filter(folder -> !folder.isEmpty())
                .map(Path::of);
        Path usr = UNPACKED.resolve(name).resolve("usr");
        return Stream.concat(installed, Stream.of(usr.resolve("bin"), usr.resolve("sbin")))
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(() -> abort("no " + name + " in PATH or " + usr + "; ./fairlead test fetches it on Debian"));
    }

    private static String libraries(Path usr) throws IOException {
        Path parent = usr.resolve("lib");
        if (!Files.isDirectory(parent)) {
            return "";
        }
        try (Stream<Path> folders = Files.list(parent)) {
            return String.join(":", folders.map(Path::toString).toList());
        }
    }

    /**
     * What the program has said.
     *
     * @return both outputs
     * @throws IOException if they cannot be read
     */
    public String output() throws IOException {
        return Files.readString(output);
    }

    /**
     * Waits until the program has said something.
     *
     * @param text part of what it says
     * @throws IOException if its output cannot be read
     * @throws InterruptedException if the thread is interrupted
     */
    public void awaitOutput(String text) throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!output().contains(text)) {
            if (System.nanoTime() > deadlineNs || process.waitFor(Duration.ofMillis(20))) {
                throw new AssertionError("the server did not say \"" + text + "\": " + output());
            }
        }
    }

    /**
     * The process.
     *
     * @return its id
     */
    public long pid() {
        return process.pid();
    }

    /** Kills the process, and waits until it has ended. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
                throw new AssertionError("the server cannot be killed: pid=" + pid());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
