package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.Worker;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Connections that pass rings and a region, and end: by a close, or by a kill of the peer's process at some step. The
 * system properties {@value #CONNECTS} and {@value #KILLS} set how many.
 */
@Timeout(1800)
final class ManyPassingsTest {
    private static final String CONNECTS = "fairlead.test.connects";
    private static final String KILLS = "fairlead.test.kills";
    private static final int WARM_UP = 3;
    private static final int CONNECTS_PER_WARM_UP = 50;
    private static final int PAUSE_MAX_MS = 30;

    /** What the process has, and what is left where all processes see it. */
    private record Holdings(int descriptors, long mappings, List<String> shared) {
        static Holdings now() throws IOException {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
                long mappings =
                        lines.filter(line -> line.contains("memfd:fairlead")).count();
                // Other processes have files of their own there.
                List<String> shared = list("/dev/shm").stream()
                        .filter(name -> name.startsWith("fairlead"))
                        .toList();
                return new Holdings(list("/proc/self/fd").size(), mappings, shared);
            }
        }

        private static List<String> list(String folder) {
            return Stream.of(Objects.requireNonNull(new File(folder).list()))
                    .sorted()
                    .toList();
        }
    }

    /** The listener's endpoints. */
    private final class Counting implements EndpointHandler {
        @Override
        public void connected(Endpoint endpoint) {
            connected++;
        }

        @Override
        public void closed(Endpoint endpoint) {
            connected--;
        }

        @Override
        public void failed(Endpoint endpoint, FairleadException cause) {
            connected--;
        }
    }

    @TempDir
    private Path folder;

    private int connected;

    private Path sockets;
    private Path config;

    private void configure() throws IOException {
        sockets = Files.createDirectory(folder.resolve("sockets"));
        config = Files.writeString(folder.resolve("conf"), "shm.socket-dir = \"" + sockets + "\"\n");
    }

    private static byte[] key(Context context) {
        MemoryRegion region = context.allocate(4096, EnumSet.allOf(AccessRight.class));
        return region.packedKey();
    }

    private Listener listen(Worker worker) {
        return worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Counting());
    }

    @Test
    void shouldLeaveNothingAfterManyConnectsAndCloses(TestReporter reporter) throws IOException {
        configure();
        int connects = Integer.getInteger(CONNECTS, 500);
        try (Context context = Context.open(SurroundingsProgram.config(config));
                Worker worker = context.newWorker()) {
            // Both sides on one worker: its turns serve the listener's end too.
            byte[] key = key(context);
            int port = listen(worker).address().getPort();
            for (int i = 0; i < WARM_UP * CONNECTS_PER_WARM_UP; i++) {
                PassingProgram.passAndClose(worker, port, key);
            }
            settle(worker);
            Holdings before = Holdings.now();
            long residentBefore = resident();
            for (int i = 0; i < connects; i++) {
                PassingProgram.passAndClose(worker, port, key);
            }
            settle(worker);
            assertEquals(before, Holdings.now());
            reporter.publishEntry(
                    "connects", connects + ", " + before + ", resident kB " + residentBefore + " to " + resident());
        }
        assertEquals(List.of(), Holdings.list(sockets.toString()));
    }

    @Test
    void shouldLeaveNothingOfKilledProcesses(TestReporter reporter) throws Exception {
        configure();
        int kills = Integer.getInteger(KILLS, 10);
        Random random = new Random(kills);
        try (Context context = Context.open(SurroundingsProgram.config(config));
                Worker worker = context.newWorker()) {
            byte[] key = key(context);
            int port = listen(worker).address().getPort();
            Holdings before = null;
            long residentBefore = 0;
            for (int round = 0; round < WARM_UP + kills; round++) {
                if (round == WARM_UP) {
                    settle(worker);
                    before = Holdings.now();
                    residentBefore = resident();
                }
                kill(worker, port, key, random.nextInt(PAUSE_MAX_MS * 1000));
            }
            settle(worker);
            assertEquals(before, Holdings.now());
            reporter.publishEntry(
                    "kills", kills + ", " + before + ", resident kB " + residentBefore + " to " + resident());
        }
        // The next process deletes what killed ones have left.
        Context.open(SurroundingsProgram.config(config)).close();
        assertEquals(List.of(), Holdings.list(sockets.toString()));
    }

    /** Kills a process some time after its first connection, and serves it until it has ended. */
    private void kill(Worker worker, int port, byte[] key, int pauseUs) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx64m",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PassingProgram.class.getName(),
                        "" + port,
                        config.toString(),
                        HexFormat.of().formatHex(key))
                .redirectErrorStream(true)
                .start();
        AtomicReference<String> said = new AtomicReference<>("");
        Thread reader = Thread.ofPlatform().daemon().start(() -> said.set(lines(process)));
        try {
            while (!said.get().contains(PassingProgram.RUNS)) {
                assertTrue(process.isAlive() || said.get().isEmpty(), said::get);
                progress(worker);
            }
            long since = System.nanoTime();
            while (System.nanoTime() - since < TimeUnit.MICROSECONDS.toNanos(pauseUs)) {
                progress(worker);
            }
        } finally {
            process.destroyForcibly();
        }
        while (process.isAlive()) {
            progress(worker);
        }
        reader.join();
        // Descriptors of its pipes.
        process.getInputStream().close();
        process.getOutputStream().close();
        process.getErrorStream().close();
    }

    /** Its lines up to the one that says that it runs, or to its end. */
    private static String lines(Process process) {
        StringBuilder lines = new StringBuilder();
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.append(line).append('\n');
                if (line.equals(PassingProgram.RUNS)) {
                    break;
                }
            }
        } catch (IOException ended) {
            lines.append(ended);
        }
        return lines.append("(end)").toString();
    }

    private static void progress(Worker worker) {
        if (worker.progress() == 0) {
            Thread.yield();
        }
    }

    /** Until the worker has no endpoint any more, and its sockets are closed. */
    private void settle(Worker worker) {
        while (connected > 0) {
            progress(worker);
        }
        for (int i = 0; i < 1000; i++) {
            progress(worker);
        }
    }

    private static long resident() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum();
        }
    }
}
