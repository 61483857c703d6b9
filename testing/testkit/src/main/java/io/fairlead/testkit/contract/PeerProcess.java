package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.testkit.internal.ReadableCopies;
import io.fairlead.testkit.internal.TriedCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@link PeerProgram}, or a program like it, in a process of its own, to be stopped, continued and killed. Not thread-safe. */
public final class PeerProcess implements AutoCloseable {
    private static final long DEADLINE_S = 60;
    /** A command that ends by running the one that follows it, for a run whose peers are in other namespaces. */
    private static final String BY = System.getProperty("fairlead.contract.peers-by", "");

    /** The id of the user to whom that command changes, if it does. */
    private static final int USER = Integer.getInteger("fairlead.contract.peers-user", -1);

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    /** How much is kept of what the process writes beside its lines: enough for the head of the JVM's report of a crash. */
    private static final int OTHER_LINES_MAX = 60;

    private final Process process;
    private final Thread reader;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    /** The end of its other output, log and errors. Only this explains why a process ended unexpectedly. */
    private final Queue<String> otherLines = new ConcurrentLinkedQueue<>();

    PeerProcess(TransportUnderTest transport, int port, Duration liveness) throws IOException {
        this(transport, List.of(), new InetSocketAddress(InetAddress.getLoopbackAddress(), port), liveness);
    }

    /** The same with a listener of any address, by a command that ends by running the one that follows it. */
    PeerProcess(TransportUnderTest transport, List<String> by, InetSocketAddress listener, Duration liveness)
            throws IOException {
        this(
                transport,
                by,
                PeerProgram.class,
                Integer.toString(listener.getPort()),
                Long.toString(liveness.toMillis()),
                listener.getAddress().getHostAddress());
    }

    /**
     * Starts a program whose first argument is the transport's name, and whose lines begin with {@link PeerProgram#PREFIX}.
     *
     * @param transport the transport that the program can use
     * @param program a class with a main method
     * @param arguments what follows the transport's name
     * @throws IOException if no process can be started
     */
    public PeerProcess(TransportUnderTest transport, Class<?> program, String... arguments) throws IOException {
        this(transport, List.of(), program, arguments);
    }

    /** The same, by a command that ends by running the one that follows it. */
    PeerProcess(TransportUnderTest transport, List<String> by, Class<?> program, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(by);
        if (!BY.isEmpty()) {
            assumeTrue(By.WORKS, () -> "this user cannot run: " + BY);
            command.addAll(By.COMMAND);
        }
        command.add(JAVA);
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xmx64m",
                "-cp",
                USER < 0 ? System.getProperty("java.class.path") : ReadableCopies.classPath()));
        command.addAll(transport.jvmOptions());
        command.addAll(PeerProgram.options(transport.configure(FairleadConfig.defaults()), transport.provider()));
        command.addAll(List.of(program.getName(), transport.name()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (USER >= 0) {
            builder.directory(ReadableCopies.folder().toFile());
        }
        process = builder.start();
        reader = Thread.ofPlatform().daemon().name("peer-process-reader").start(this::read);
    }

    /** Tried once. */
    private static final class By {
        static final List<String> COMMAND = List.of(BY.split(" ", -1));
        static final boolean WORKS = works();

        private By() {}

        private static boolean works() {
            List<String> command = new ArrayList<>(COMMAND);
            command.addAll(List.of(JAVA, "-version"));
            try {
                return TriedCommand.succeeds(command);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    /** A file of this user's that a peer has to be able to read, and nobody else. */
    static Path secret(Path file) {
        return USER < 0 ? file : ReadableCopies.ownedBy(USER, file);
    }

    private void read() {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith(PeerProgram.PREFIX)) {
                    lines.add(line.substring(PeerProgram.PREFIX.length()));
                } else {
                    otherLines.add(line);
                    if (otherLines.size() > OTHER_LINES_MAX) {
                        otherLines.remove();
                    }
                }
            }
        } catch (IOException e) {
            // A process that is killed may break its pipe; what it said before has been read.
            lines.add("broken pipe: " + e.getMessage());
        }
    }

    /**
     * Whether the process has written a line.
     *
     * @param line the line, without {@link PeerProgram#PREFIX}
     * @return true from then on
     */
    public boolean said(String line) {
        return lines.contains(line);
    }

    /**
     * What the process has written so far, for messages.
     *
     * @return its lines
     */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * How the process ended, for messages; waits for that.
     *
     * @return its status and what it wrote
     */
    public String ending() {
        try {
            reader.join(Duration.ofSeconds(DEADLINE_S));
            if (process.isAlive()) {
                return "it lives, and said " + lines();
            }
            return "it ended with status " + process.waitFor() + ", said " + lines() + " and wrote\n"
                    + String.join("\n", otherLines);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted while it ended; it said " + lines();
        }
    }

    /**
     * What follows some words in the first line that begins with them.
     *
     * @param words the beginning of the line
     * @return the rest of it; empty if the process has written no such line
     */
    public Optional<String> saidAfter(String words) {
        return lines.stream()
                .filter(line -> line.startsWith(words))
                .map(line -> line.substring(words.length()))
                .findFirst();
    }

    void command(String line) {
        try {
            Writer input = process.outputWriter(StandardCharsets.UTF_8);
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the peer's process takes no command; it said " + lines(), e);
        }
    }

    /** Kills the process as the kernel would: at once, with nothing tidied up by itself. */
    public void kill() {
        // What runs the program for it, such as unshare, ends with it.
        program().destroyForcibly();
    }

    /** The program itself, which a command may have started as its child. */
    private ProcessHandle program() {
        ProcessHandle found = process.toHandle();
        for (Optional<ProcessHandle> child = found.children().findFirst();
                child.isPresent();
                child = found.children().findFirst()) {
            found = child.get();
        }
        return found;
    }

    /** The program's id in the namespace of this process. */
    long programPid() {
        return program().pid();
    }

    /** Waits for the end of a process that was killed: from then on nothing of it can be read. */
    public void awaitEnd() {
        try {
            if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
                throw new AssertionError("the peer's process does not end: pid=" + process.pid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the peer's process to end", e);
        }
    }

    /** Takes the processor away from the process, and comes back when each of its threads is without. */
    void stop() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(DEADLINE_S).toNanos();
        do {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("the process does not stop: pid=" + process.pid());
            }
            signal("STOP");
        } while (!stopped());
    }

    private boolean stopped() throws IOException {
        Path tasks = Path.of("/proc", Long.toString(program().pid()), "task");
        if (!Files.isDirectory(tasks)) {
            // Not Linux, so the threads are unknown.
            return true;
        }
        try (Stream<Path> all = Files.list(tasks)) {
            for (Path task : all.toList()) {
                String stat = Files.readString(task.resolve("stat"), StandardCharsets.ISO_8859_1);
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
            return true;
        }
    }

    /** Gives it back. */
    void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    /**
     * Whether the process has not ended.
     *
     * @return false once it has
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    private void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "sh", "-c", "kill -" + name + " " + program().pid())
                .inheritIO()
                .start();
        if (!kill.waitFor(DEADLINE_S, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new AssertionError("kill -" + name + " " + process.pid() + " failed");
        }
    }

    /** Kills the process and waits for its end. */
    @Override
    public void close() throws IOException {
        program().destroyForcibly();
        process.destroyForcibly();
        awaitEnd();
        try {
            reader.join(Duration.ofSeconds(DEADLINE_S));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the peer's process to end", e);
        }
        process.getOutputStream().close();
        process.getErrorStream().close();
    }
}
