package io.fairlead.system.network;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A process on one of the hosts, and what it has said by {@link Report}. */
final class Talker implements AutoCloseable {
    private static final long DEADLINE_NS = Duration.ofSeconds(90).toNanos();
    private static final Pattern VALUE = Pattern.compile("(\\w+)=(\\d+)");

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, Long> values = new HashMap<>();
    private long reports;

    private Talker(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon().name("talker").start(this::read);
    }

    /**
     * Starts a program.
     *
     * @param host of {@link Wire}
     */
    static Talker start(List<String> host, Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(host);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        return new Talker(new ProcessBuilder(command)
                .directory(RepositoryRoot.path().resolve("target").toFile())
                .redirectErrorStream(true)
                .start());
    }

    private void read() {
        process.inputReader(StandardCharsets.UTF_8).lines().forEach(this::take);
    }

    private synchronized void take(String line) {
        if (line.startsWith("progress ")) {
            Matcher value = VALUE.matcher(line);
            while (value.find()) {
                values.put(value.group(1), Long.valueOf(value.group(2)));
            }
            reports++;
        } else {
            lines.add(line);
        }
        notifyAll();
    }

    /** A number of its last report; 0 before there was one. */
    synchronized long value(String name) {
        return values.getOrDefault(name, 0L);
    }

    /** All that it has said but for its progress. */
    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** Segments so far that TCP at its host has received before those that they follow. */
    long outOfOrder() throws IOException {
        List<List<String>> rows;
        try (Stream<String> lines = Files.lines(Path.of("/proc", String.valueOf(process.pid()), "net", "netstat"))) {
            rows = lines.filter(line -> line.startsWith("TcpExt:"))
                    .map(line -> List.of(line.split(" ")))
                    .toList();
        }
        int column = rows.getFirst().indexOf("TCPOFOQueue");
        return Long.parseLong(rows.getLast().get(column));
    }

    /** Waits until a number of its reports is at least so high. */
    synchronized void awaitAtLeast(String name, long count) throws InterruptedException {
        awaitThat(() -> value(name) >= count, "to report " + name + "=" + count);
    }

    /** Waits until a number of its reports has risen by so much from now on. */
    void awaitMore(String name, long count) throws InterruptedException {
        awaitNow();
        awaitAtLeast(name, value(name) + count);
    }

    /** Waits for a report that was made after this call: the last one can be older than what a test has just done to the wire. */
    synchronized void awaitNow() throws InterruptedException {
        long nowNs = System.nanoTime();
        awaitThat(() -> value("time") >= nowNs, "to report again");
    }

    /** Waits until a number of its reports is this one. */
    synchronized void awaitExactly(String name, long count) throws InterruptedException {
        awaitThat(() -> value(name) == count, "to report " + name + "=" + count);
    }

    /** Waits while it makes so many reports, one in 50 ms. */
    synchronized void awaitReports(int count) throws InterruptedException {
        long until = reports + count;
        awaitThat(() -> reports >= until, "to report " + count + " times");
    }

    /** Waits for a line and returns it. */
    String awaitLine(Predicate<String> wanted, String what) throws InterruptedException {
        return awaitLine(0, wanted, what);
    }

    /** Waits for a line after the first ones, and returns it. */
    synchronized String awaitLine(int first, Predicate<String> wanted, String what) throws InterruptedException {
        awaitThat(() -> lines.stream().skip(first).anyMatch(wanted), what);
        Optional<String> found = lines.stream().skip(first).filter(wanted).findFirst();
        return found.orElseThrow();
    }

    /** Its complaints. */
    List<String> violations() {
        return lines().stream().filter(line -> line.startsWith("violation")).toList();
    }

    private synchronized void awaitThat(BooleanSupplier condition, String what) throws InterruptedException {
        long endNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean()) {
            long leftMs = (endNs - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new AssertionError(
                        "waited 90 s for a process " + what + "; it reported " + values + " and said " + lines);
            }
            wait(leftMs);
        }
    }

    /** Has it send nothing more, and end when all is answered. */
    void stop() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Ends it without a word. */
    void kill() throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        try {
            kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while ending a process", e);
        }
    }
}
