package io.fairlead.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.FairleadCommand;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A {@code fairlead perf}, or another command, as a user starts it; ended by force when the test closes it. */
public final class PerfProcess implements AutoCloseable {
    private static final long DEADLINE_S = 120;

    private final Process process;
    private final BufferedReader output;
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final Thread errorReader;

    private PerfProcess(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.errorReader = Thread.ofPlatform().daemon().start(this::readErrors);
    }

    static PerfProcess start(String... arguments) throws IOException {
        return start(Map.of(), arguments);
    }

    static PerfProcess start(Map<String, String> environment, String... arguments) throws IOException {
        return startCommand("perf", environment, arguments);
    }

    /** Starts another command than perf. */
    public static PerfProcess startCommand(String subcommand, Map<String, String> environment, String... arguments)
            throws IOException {
        return startCommand(List.of(), subcommand, environment, arguments);
    }

    /** The same behind the words of a command that runs it. */
    public static PerfProcess startCommand(
            List<String> prefix, String subcommand, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--class-path",
                classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                FairleadCommand.class.getName(),
                subcommand));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        // What the machine has configured must not decide a test; the launcher sets the rest.
        builder.environment().keySet().removeIf(name -> name.startsWith("FAIRLEAD_"));
        // On a busy machine processes that spin leave little to those that connect.
        builder.environment().put("FAIRLEAD_CONNECT_TIMEOUT", "60s");
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        builder.environment().put("UCX_HANDLE_ERRORS", "none");
        builder.environment().put("UCX_LOG_FILE", "stderr");
        builder.environment().putAll(environment);
        return new PerfProcess(builder.start());
    }

    /**
     * The class path of this test but for the testkit, whose loopback transport users do not have. Without symbolic links,
     * of which whole runs have some: a container need not have what these lead to.
     */
    public static List<Path> classPath() {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .filter(entry -> !entry.contains("fairlead-testkit") && !entry.contains("/testkit/"))
                .map(Path::of)
                .filter(Files::exists)
                .map(PerfProcess::real)
                .toList();
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private void readErrors() {
        try (BufferedReader reader = process.errorReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(errors::add);
        } catch (IOException | UncheckedIOException ended) {
            errors.add("stderr cannot be read: " + ended);
        }
    }

    /** The next line on stdout. */
    public String line() throws IOException {
        String line = output.readLine();
        assertTrue(line != null, () -> "ended; stderr: " + errors);
        return line;
    }

    /** Writes lines to stdin, and ends it. */
    public void write(List<String> lines) throws IOException, InterruptedException {
        try (Writer input = process.outputWriter(StandardCharsets.UTF_8)) {
            for (String line : lines) {
                input.write(line + "\n");
            }
        } catch (IOException ended) {
            awaitEnd();
            throw new IOException("ended with status " + process.exitValue() + "; stderr: " + errors, ended);
        }
    }

    /** Waits for the end, however it ends; returns what is left on stdout. */
    List<String> awaitEnd() throws InterruptedException {
        List<String> lines = output.lines().toList();
        assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> "did not end; stderr: " + errors);
        errorReader.join(TimeUnit.SECONDS.toMillis(DEADLINE_S));
        return lines;
    }

    /** Waits for the end; returns what is left on stdout. */
    public List<String> assertStatus(int expected) throws InterruptedException {
        List<String> lines = awaitEnd();
        assertEquals(expected, process.exitValue(), () -> "stderr: " + errors);
        return lines;
    }

    /** Waits for the end, and returns what it said of it. */
    public String assertFailure(int status) throws InterruptedException {
        assertStatus(status);
        List<String> said =
                errors.stream().filter(line -> line.startsWith("fairlead: ")).toList();
        assertEquals(1, said.size(), errors::toString);
        return said.getFirst();
    }

    /** The processes that it has started, and theirs. */
    Stream<ProcessHandle> descendants() {
        return process.descendants();
    }

    List<String> errors() {
        return errors;
    }

    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
