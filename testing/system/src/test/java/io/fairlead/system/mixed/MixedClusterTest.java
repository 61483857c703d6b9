package io.fairlead.system.mixed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes of which some have no native access, and so TCP alone: one listener serves them all, and each path is named with its reason. */
@Timeout(180)
final class MixedClusterTest {
    private static final String PREFIX = "mixed: ";
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final List<Peer> peers = new ArrayList<>();
    private Peer listener;
    private String port;

    @BeforeEach
    void listen() throws IOException {
        listener = start(true, "listen");
        port = listener.line(line -> line.startsWith("port ")).substring("port ".length());
    }

    @AfterEach
    void end() {
        peers.forEach(Peer::close);
    }

    @Test
    void shouldServePeersWithAndWithoutSharedMemoryAtOnce() throws IOException {
        Peer with = start(true, "connect", "with", port, "auto");
        Peer without = start(false, "connect", "without", port, "auto");
        String path = with.line(line -> line.startsWith("connected "));
        assertTrue(path.startsWith("connected by shm: ") && path.contains("on one host"), path);
        String other = without.line(line -> line.startsWith("connected "));
        assertTrue(other.startsWith("connected by tcp: "), other);
        assertTrue(other.contains("shm is unavailable at the connector: native access is denied"), other);
        List<String> messages = IntStream.range(0, 2)
                .mapToObj(i -> listener.line(line -> line.startsWith("message ")))
                .sorted()
                .toList();
        assertEquals(
                1,
                messages.stream()
                        .filter(line -> line.contains(" from with by shm: "))
                        .count(),
                messages::toString);
        assertEquals(
                1,
                messages.stream()
                        .filter(line -> line.contains(" from without by tcp: "))
                        .count(),
                messages::toString);
    }

    @Test
    void shouldFailWithTheCauseWhereRdmaIsRequired() throws IOException {
        String line = start(true, "connect", "picky", port, "require-rdma").line(said -> said.startsWith("failed "));
        assertTrue(line.startsWith("failed NO_PATH: "), line);
        assertTrue(line.contains("require-rdma"), line);
    }

    @Test
    void shouldTakeTcpAloneIfAsked() throws IOException {
        String line = start(true, "connect", "plain", port, "tcp-only").line(said -> said.startsWith("connected "));
        assertTrue(line.startsWith("connected by tcp: "), line);
        assertTrue(line.contains("tcp-only"), line);
    }

    @Test
    void shouldFailWhereTheNamedTransportIsMissing() throws IOException {
        String line = start(false, "connect", "lacking", port, "shm").line(said -> said.startsWith("failed "));
        assertTrue(line.startsWith("failed NO_PATH: "), line);
        assertTrue(line.contains("no path by shm") && line.contains("shm is not offered by the connector"), line);
    }

    @Test
    void shouldTakeUcxIfNamed() throws IOException {
        String line = start(true, "connect", "named", port, "ucx").line(MixedClusterTest::isOutcome);
        assumeTrue(!line.contains("ucx is "), line);
        assertTrue(line.startsWith("connected by ucx: "), line);
        assertTrue(line.contains("policy ucx of the connector") && line.contains("on one host"), line);
    }

    @Test
    void shouldFallToTcpWhereVersionsDiffer() throws IOException {
        String line =
                start(true, "version", "connect", "newer", port, "auto").line(said -> said.startsWith("connected "));
        assertTrue(line.startsWith("connected by tcp: "), line);
        assertTrue(line.contains("shm versions differ: here ") && line.contains(", peer 1.99"), line);
    }

    @Test
    void shouldRefuseAnotherVersionOfUcxWhereUcxIsNamed() throws IOException {
        String line = start(true, "version", "connect", "newer", port, "ucx").line(MixedClusterTest::isOutcome);
        assumeTrue(!line.contains("ucx is "), line);
        assertTrue(line.startsWith("failed NO_PATH: "), line);
        assertTrue(line.contains("UCX versions differ: here 1.") && line.contains("peer 1.99"), line);
    }

    private static boolean isOutcome(String said) {
        return said.startsWith("connected ") || said.startsWith("failed ");
    }

    private Peer start(boolean nativeAccess, String... arguments) throws IOException {
        Peer peer = new Peer(nativeAccess, arguments);
        peers.add(peer);
        return peer;
    }

    /** A process, and what it says. */
    private static final class Peer implements AutoCloseable {
        private final Process process;
        private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private final List<String> all = new ArrayList<>();

        Peer(boolean nativeAccess, String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    nativeAccess ? "--enable-native-access=ALL-UNNAMED" : "--illegal-native-access=deny",
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx64m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    MixedPeer.class.getName()));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().keySet().removeIf(name -> name.startsWith("FAIRLEAD_") || name.startsWith("UCX_"));
            // Without it UCX would take the JVM's signals, and is left out.
            builder.environment().put("UCX_ERROR_SIGNALS", "");
            process = builder.start();
            Thread.ofPlatform().daemon().start(this::read);
        }

        private void read() {
            try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
                reader.lines().forEach(lines::add);
            } catch (IOException | UncheckedIOException ended) {
                lines.add("its output ended: " + ended.getMessage());
            }
        }

        /** The next line of the program's own that is asked for. */
        String line(Predicate<String> wanted) {
            long deadline = System.nanoTime() + DEADLINE.toNanos();
            try {
                while (System.nanoTime() < deadline) {
                    String line = lines.poll(100, TimeUnit.MILLISECONDS);
                    if (line == null) {
                        continue;
                    }
                    all.add(line);
                    if (line.startsWith(PREFIX) && wanted.test(line.substring(PREFIX.length()))) {
                        return line.substring(PREFIX.length());
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return fail("not said within " + DEADLINE.toSeconds() + " s; said: " + all);
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
