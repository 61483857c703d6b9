package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A peer's process is killed, and its connections stay open, as they do while the kernel frees a large memory: this
 * process has them too. The system properties {@value #KILLS} and {@value #HEAP} set how many and how large, for
 * measurements.
 */
@Timeout(300)
final class KilledPeerTest {
    private static final String KILLS = "fairlead.test.kills";
    private static final String HEAP = "fairlead.test.heap-mib";
    private static final double NS_PER_MS = 1e6;

    @TempDir
    private Path folder;

    private @Nullable FairleadException failure;
    private @Nullable Endpoint connected;
    private int received;
    private @Nullable Status last;

    @Test
    void shouldFailBeforeTheConnectionEnds(TestReporter reporter) throws Exception {
        for (int i = 0; i < Integer.getInteger(KILLS, 1); i++) {
            kill(List.of(), false, reporter);
        }
    }

    @Test
    void shouldFailBeforeTheConnectionEndsAcrossNamespaces(TestReporter reporter) throws Exception {
        List<String> by = List.of("unshare", "--pid", "--fork", "--mount-proc", "--ipc", "--uts", "--mount");
        assumeTrue(SurroundingsTest.canRun(by), "this user may make no namespaces");
        for (int i = 0; i < Integer.getInteger(KILLS, 1); i++) {
            kill(by, true, reporter);
        }
    }

    private void kill(List<String> by, boolean likeDocker, TestReporter reporter) throws Exception {
        failure = null;
        connected = null;
        received = 0;
        last = null;
        Path config = Files.writeString(folder.resolve("conf"), "");
        SocketId id = SocketId.random();
        List<LocalSocket.Packet> held = new ArrayList<>();
        try (Context context = Context.open(SurroundingsProgram.config(config));
                Worker worker = context.newWorker();
                SocketPlace.Listening listening = SocketPlace.NAMESPACE.listen(id, 64);
                Arena arena = Arena.ofConfined()) {
            Listener listener =
                    worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Remembering());
            MemorySegment room = arena.allocate(Long.BYTES);
            for (int i = 0; i <= KilledPeerProgram.MESSAGES; i++) {
                worker.receive(
                        room,
                        0,
                        Long.BYTES,
                        KilledPeerProgram.TAG,
                        Worker.FULL_TAG_MASK,
                        ended -> {
                            last = ended.status();
                            received += last == Status.OK ? 1 : 0;
                        },
                        0);
            }
            List<Integer> handled = new ArrayList<>();
            worker.register(
                    KilledPeerProgram.HANDLER,
                    message -> handled.add(message.header().get(ValueLayout.JAVA_INT, 0)));
            Process process = start(by, listener.address().getPort(), config, id, likeDocker);
            try {
                // Nothing of its messages is read before it has ended.
                awaitReady(process, worker);
                hold(listening.socket(), held);
                assertFalse(held.isEmpty());
                ProcessHandle program = program(process.toHandle());
                long killed = System.nanoTime();
                assertTrue(program.destroyForcibly());
                while (failure == null) {
                    if (worker.progress() == 0) {
                        worker.await(Long.MAX_VALUE);
                    }
                }
                long noticed = System.nanoTime();
                while (process.isAlive()) {
                    Thread.onSpinWait();
                }
                long over = System.nanoTime();
                reporter.publishEntry(
                        "kill",
                        String.format(
                                Locale.ROOT,
                                "noticed after %.1f ms, gone after %.1f ms",
                                (noticed - killed) / NS_PER_MS,
                                (over - killed) / NS_PER_MS));
            } finally {
                process.destroyForcibly();
            }
            FairleadException cause = Objects.requireNonNull(failure);
            assertEquals(Reason.PEER_LOST, cause.reason());
            assertTrue(String.valueOf(cause.getMessage()).contains("peer's process is ending"), cause::getMessage);
            assertEquals(KilledPeerProgram.MESSAGES, received);
            // Also those whose payloads are lost.
            assertEquals(
                    IntStream.range(0, KilledPeerProgram.ACTIVE_MESSAGES)
                            .boxed()
                            .toList(),
                    handled);
        } finally {
            held.forEach(LocalSocket.Packet::close);
        }
    }

    private final class Remembering implements EndpointHandler {
        @Override
        public void connected(Endpoint endpoint) {
            connected = endpoint;
        }

        @Override
        public void failed(Endpoint endpoint, FairleadException cause) {
            failure = cause;
        }
    }

    private static void hold(LocalSocket listening, List<LocalSocket.Packet> held) throws IOException {
        for (LocalSocket next = listening.accept(); next != null; next = listening.accept()) {
            try (LocalSocket accepted = next) {
                held.add(Objects.requireNonNull(accepted.receive(1)));
            }
        }
    }

    private static Process start(List<String> by, int port, Path config, SocketId id, boolean likeDocker)
            throws IOException {
        int heap = Integer.getInteger(HEAP, 16);
        List<String> command = new ArrayList<>(by);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+AlwaysPreTouch",
                "-Xms" + heap + "m",
                "-Xmx" + heap + "m",
                "-cp",
                System.getProperty("java.class.path"),
                KilledPeerProgram.class.getName(),
                "" + port,
                config.toString(),
                id.toString(),
                "" + likeDocker));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private void awaitReady(Process process, Worker worker) throws IOException {
        while (connected == null && process.isAlive()) {
            worker.progress();
        }
        BufferedReader lines = process.inputReader();
        List<String> said = new ArrayList<>();
        for (String line = lines.readLine(); !KilledPeerProgram.READY.equals(line); line = lines.readLine()) {
            assertTrue(line != null, () -> "the program has ended; it said " + said);
            said.add(line);
        }
    }

    /** What a command has started. */
    private static ProcessHandle program(ProcessHandle command) {
        Optional<ProcessHandle> child = command.children().findFirst();
        return child.isPresent() ? program(child.get()) : command;
    }
}
