package io.fairlead.cli.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a flight recording holds of Fairlead. */
@Timeout(120)
final class FlightRecorderTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long TAG = 7;

    @TempDir
    private Path folder;

    @Test
    void shouldRecordHandshakesPathsAndFailures() throws Exception {
        List<RecordedEvent> events;
        BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
        try (Recording recording = new Recording()) {
            recording.start();
            try (Node server = Node.start(config("server"));
                    Node client = Node.start(config("client"))) {
                Listener listener = server.listen(ANY_PORT, accepted::add);
                Peer peer = client.connect(listener.address()).join();
                CountDownLatch over = new CountDownLatch(1);
                peer.onClosed(_ -> over.countDown());
                accepted.take().abort();
                over.await();
            }
            events = read(recording);
        }
        RecordedEvent connected = only(events, "fairlead.EndpointConnected", "client");
        assertEquals("#1 to server", connected.getString("endpoint"));
        assertEquals("tcp", connected.getString("transport"));
        assertTrue(connected.getDuration().isPositive(), connected::toString);
        assertTrue(connected.getEventType().getCategoryNames().contains("Fairlead"), connected::toString);
        only(events, "fairlead.EndpointConnected", "server");

        RecordedEvent selected = only(events, "fairlead.PathSelected", "server");
        assertEquals("TCP", selected.getString("pathClass"));
        assertEquals("ONLY_SHARED", selected.getString("cause"));
        assertTrue(selected.getString("reason").startsWith("only tcp is shared by both sides"), selected::toString);
        assertFalse(selected.getBoolean("fallback"), selected::toString);

        RecordedEvent failed = only(events, "fairlead.PeerFailed", "client");
        assertEquals("PEER_LOST", failed.getString("cause"));
        assertFalse(failed.getDuration("silence").isNegative(), failed::toString);
    }

    @Test
    void shouldRecordOperationsThatTookAsLongAsTheSettingSays() throws Exception {
        assertEquals(List.of(), longOperations("1 h"));
        List<RecordedEvent> events = longOperations("0ns");
        assertFalse(events.isEmpty());
        for (RecordedEvent event : events) {
            assertEquals("send", event.getString("operation"), "a receive waits, and is left out");
            assertEquals(64, event.getLong("length"));
            assertEquals("tcp", event.getString("transport"));
            assertTrue(event.getDuration("latency").isPositive(), event::toString);
        }
    }

    private List<RecordedEvent> longOperations(String minimum) throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("fairlead.LongOperation").with("minimum", minimum);
            recording.start();
            try (Node server = Node.start(config("server"));
                    Node client = Node.start(config("client"))) {
                Listener listener = server.listen(ANY_PORT, peer -> {});
                Peer peer = client.connect(listener.address()).join();
                for (int i = 0; i < 100; i++) {
                    peer.send(new byte[64], TAG).join();
                    server.receive(TAG).join();
                }
            }
            return read(recording).stream()
                    .filter(event -> event.getEventType().getName().equals("fairlead.LongOperation"))
                    .toList();
        }
    }

    @Test
    void shouldRecordThatAWorkerWasLeftWithoutProgress() throws Exception {
        long gapNs = Duration.ofMillis(5).toNanos();
        List<RecordedEvent> events;
        try (Recording recording = new Recording();
                Context context = Context.open(config("idle"));
                Worker worker = context.newWorker()) {
            recording.enable("fairlead.ProgressStalled").with("minimum", "5 ms");
            recording.start();
            Listener listener = worker.listen(ANY_PORT, EndpointHandler.NONE);
            Endpoint endpoint = worker.connect(listener.address(), EndpointHandler.NONE);
            worker.progress();
            long since = System.nanoTime();
            while (System.nanoTime() - since < gapNs) {
                Thread.onSpinWait();
            }
            worker.progress();
            endpoint.abort();
            events = read(recording);
        }
        assertTrue(
                events.stream()
                        .filter(event -> event.getEventType().getName().equals("fairlead.ProgressStalled"))
                        .anyMatch(event -> event.getDuration("gap").toNanos() >= gapNs
                                && event.getThread()
                                        .getJavaName()
                                        .equals(Thread.currentThread().getName())),
                events::toString);
    }

    @Test
    void shouldRecordThatAPeerStoodStill() throws Exception {
        Duration liveness = Duration.ofMillis(100);
        BlockingQueue<RecordedEvent> stalls = new LinkedBlockingQueue<>();
        try (RecordingStream stream = new RecordingStream();
                Context near = Context.open(config("near").with(ConfigKeys.LIVENESS_TIMEOUT, liveness));
                Context far = Context.open(config("far"));
                Worker driven = near.newWorker();
                Worker stalling = far.newWorker()) {
            stream.enable("fairlead.PeerStalled");
            stream.onEvent("fairlead.PeerStalled", stalls::add);
            stream.startAsync();
            Listener listener = stalling.listen(ANY_PORT, EndpointHandler.NONE);
            Endpoint endpoint = driven.connect(listener.address(), EndpointHandler.NONE);
            while (stalls.isEmpty()) {
                drive(Duration.ofMillis(100), driven, stalling);
                drive(liveness.multipliedBy(5), driven);
            }
            assertEquals(EndpointState.CONNECTED, endpoint.state());
        }
        RecordedEvent stall = stalls.remove();
        assertEquals("near", stall.getString("node"));
        assertEquals("#1 to far", stall.getString("endpoint"));
        assertTrue(stall.getDuration("silence").compareTo(liveness) > 0, stall::toString);
    }

    private static void drive(Duration time, Worker... workers) {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0) {
            for (Worker worker : workers) {
                if (worker.progress() == 0) {
                    worker.await(1_000_000);
                }
            }
        }
    }

    private List<RecordedEvent> read(Recording recording) throws IOException {
        recording.stop();
        Path file = folder.resolve("recording-" + recording.getId() + ".jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file);
    }

    private static RecordedEvent only(List<RecordedEvent> events, String name, String node) {
        List<RecordedEvent> found = events.stream()
                .filter(event -> event.getEventType().getName().equals(name)
                        && event.getString("node").equals(node))
                .toList();
        assertEquals(1, found.size(), () -> name + " of " + node + " in " + found);
        return found.getFirst();
    }

    private static FairleadConfig config(String name) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, name)
                .with(ConfigKeys.TRANSPORTS, "tcp")
                .with(ConfigKeys.LATENCY_SAMPLING, 1);
    }
}
