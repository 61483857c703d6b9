package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.cli.process.JavaCommand;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A {@code fairlead} command in a process of its own, as a test sees it; ended by force when the test closes it. */
public final class CommandRun implements AutoCloseable {
    private static final long DEADLINE_S = 90;

    private final Process process;
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<String> newErrors = new LinkedBlockingQueue<>();
    private final CompletableFuture<byte[]> output = new CompletableFuture<>();
    private final Thread errorReader;

    private CommandRun(Process process, boolean readsOutput) {
        this.process = process;
        errorReader = Thread.ofPlatform().daemon().start(this::readErrors);
        if (readsOutput) {
            Thread.ofPlatform().daemon().start(this::readOutput);
        }
    }

    /** Starts a command whose output the test takes at its end. */
    public static CommandRun start(String... args) throws IOException {
        return new CommandRun(builder(args).start(), true);
    }

    /** Starts a command with more in its environment, whose output the test takes at its end. */
    public static CommandRun start(Map<String, String> environment, String... args) throws IOException {
        ProcessBuilder builder = builder(args);
        builder.environment().putAll(environment);
        return new CommandRun(builder.start(), true);
    }

    /** Starts a command as the launcher does, whose environment keeps UCX from the JVM's signals; without that UCX is left out. */
    public static CommandRun startWithUcx(String... args) throws IOException {
        return start(Map.of("UCX_ERROR_SIGNALS", "", "UCX_HANDLE_ERRORS", "none", "UCX_LOG_FILE", "stderr"), args);
    }

    /** Starts a command on this test's class path without a module, such as the testkit, whose loopback transport users do not have. */
    public static CommandRun startWithout(String module, String... args) throws IOException {
        ProcessBuilder builder = builder(JavaCommand.fairlead(List.of(args)));
        String path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("fairlead-" + module) && !entry.contains("/" + module + "/"))
                .collect(Collectors.joining(File.pathSeparator));
        builder.command().replaceAll(word -> word.equals(System.getProperty("java.class.path")) ? path : word);
        return new CommandRun(builder.start(), true);
    }

    /** Starts a command whose output the test reads itself. */
    public static CommandRun startUnread(String... args) throws IOException {
        return new CommandRun(builder(args).start(), false);
    }

    /** Starts a command whose output goes to a file or device. */
    public static CommandRun startInto(File output, String... args) throws IOException {
        return new CommandRun(builder(args).redirectOutput(output).start(), false);
    }

    /**
     * Starts a command on a terminal of its own, which the program {@code script} makes: its output is what it shows.
     */
    public static CommandRun startOnTerminal(String... args) {
        String command = CommandCache.use(JavaCommand.fairlead(List.of(args))).stream()
                .map(part -> "'" + part + "'")
                .collect(Collectors.joining(" ", "exec ", ""));
        ProcessBuilder builder =
                builder(args).command("script", "--quiet", "--return", "--flush", "--command", command, "/dev/null");
        try {
            return new CommandRun(builder.start(), false);
        } catch (IOException e) {
            return abort("no terminal to test on: " + e.getMessage() + "; on Debian script is in bsdutils");
        }
    }

    /**
     * Starts a command from a line of the shell, whose output the test takes at its end: such as {@code cd / && exec "$@"}. The shell has names that
     * the test's own JVM may have no path for.
     */
    public static CommandRun startFromShell(String line, Map<String, String> environment, String... args)
            throws IOException {
        ProcessBuilder builder = builder(args);
        List<String> command = new ArrayList<>(List.of("sh", "-c", line, "sh"));
        command.addAll(builder.command());
        builder.command(command).environment().putAll(environment);
        return new CommandRun(builder.start(), true);
    }

    private static ProcessBuilder builder(String... args) {
        return builder(CommandCache.use(JavaCommand.fairlead(List.of(args))));
    }

    static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        // What the machine has configured must not decide a test.
        builder.environment().keySet().removeIf(name -> name.startsWith("FAIRLEAD_"));
        return builder;
    }

    private void readErrors() {
        try (BufferedReader reader = process.errorReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(line -> {
                errors.add(line);
                newErrors.add(line);
            });
        } catch (IOException | UncheckedIOException e) {
            newErrors.add("stderr cannot be read: " + e);
        }
    }

    private void readOutput() {
        try (InputStream stdout = process.getInputStream()) {
            output.complete(stdout.readAllBytes());
        } catch (IOException e) {
            output.completeExceptionally(e);
        }
    }

    /** The process's standard input. */
    public OutputStream input() {
        return process.getOutputStream();
    }

    /** The process's standard output, of a command that was started unread. */
    public InputStream unreadOutput() {
        return process.getInputStream();
    }

    /** The process. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** Waits for a line on stderr and returns what the pattern's first group matched in it. */
    public String awaitError(String regex) throws InterruptedException {
        Pattern pattern = Pattern.compile(regex);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (System.nanoTime() - deadline < 0) {
            String line = newErrors.poll(100, TimeUnit.MILLISECONDS);
            Matcher matcher = pattern.matcher(line == null ? "" : line);
            if (line != null && matcher.find()) {
                return matcher.groupCount() == 0 ? matcher.group() : matcher.group(1);
            }
            if (line == null && !process.isAlive() && newErrors.isEmpty()) {
                break;
            }
        }
        return fail("no line like " + regex + " in " + errors + ", alive=" + process.isAlive());
    }

    /** Waits for the end and checks how the process ended. */
    public void assertStatus(int expected) throws InterruptedException {
        assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> "did not end; stderr: " + errors);
        errorReader.join(TimeUnit.SECONDS.toMillis(DEADLINE_S));
        assertEquals(expected, process.exitValue(), () -> "stderr: " + errors);
    }

    /** Everything on stdout, once the process has ended. */
    public byte[] output() throws InterruptedException, ExecutionException, TimeoutException {
        return output.get(DEADLINE_S, TimeUnit.SECONDS);
    }

    /** Everything on stdout as text. */
    public String text() throws InterruptedException, ExecutionException, TimeoutException {
        return new String(output(), StandardCharsets.UTF_8);
    }

    /** Everything on stderr so far. */
    public List<String> errors() {
        return errors;
    }

    /** SIGTERM. By its handle, since the process itself would close the pipe that has its last words. */
    public void terminate() {
        process.toHandle().destroy();
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
