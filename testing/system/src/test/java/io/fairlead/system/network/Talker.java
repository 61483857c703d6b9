package io.fairlead.system.network;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link NumberedPeer} on one of the hosts, and what it has said. */
final class Talker implements AutoCloseable {
    private static final long DEADLINE_NS = Duration.ofSeconds(90).toNanos();
    private static final Pattern PROGRESS = Pattern.compile("progress received=(\\d+) resumed=(\\d+)");

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private long received;
    private long resumed;
    private long reports;

    private Talker(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon().name("talker").start(this::read);
    }

    static Talker start(List<String> host, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(host);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                NumberedPeer.class.getName()));
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
        Matcher progress = PROGRESS.matcher(line);
        if (progress.matches()) {
            received = Long.parseLong(progress.group(1));
            resumed = Long.parseLong(progress.group(2));
            reports++;
        } else {
            lines.add(line);
        }
        notifyAll();
    }

    /** How many messages it has had from its peer. */
    synchronized long received() {
        return received;
    }

    /** How often its connections were made again. */
    synchronized long resumed() {
        return resumed;
    }

    /** All that it has said but for its progress. */
    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** Waits until it has had more messages. */
    synchronized void awaitReceived(long count) throws InterruptedException {
        awaitThat(() -> received >= count, "to receive " + count + " messages");
    }

    /** Waits while it makes so many reports, one in 50 ms. */
    synchronized void awaitReports(int count) throws InterruptedException {
        long until = reports + count;
        awaitThat(() -> reports >= until, "to report " + count + " times");
    }

    /** Waits for a line and returns it. */
    synchronized String awaitLine(Predicate<String> wanted, String what) throws InterruptedException {
        awaitThat(() -> lines.stream().anyMatch(wanted), what);
        Optional<String> found = lines.stream().filter(wanted).findFirst();
        return found.orElseThrow();
    }

    private synchronized void awaitThat(BooleanSupplier condition, String what) throws InterruptedException {
        long endNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean()) {
            long leftMs = (endNs - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new AssertionError("waited 90 s for a process " + what + "; received=" + received + ", resumed="
                        + resumed + ", it said " + lines);
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
