package io.fairlead.system.network;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Faults of a network between two hosts, and what requests between nodes and topics make of them: one pair of nodes with failover and one without it suffer
 * the same faults, one after the other. With {@code -Dfairlead.network-faults=all} those are all, otherwise some. The rows of docs/proof.md are in
 * target/network-faults.
 */
@Timeout(600)
final class LayerFaultsTest {
    private static final String ALL = "fairlead.network-faults";
    private static final Set<Fault> SOME_FAULTS = Set.of(Fault.RESET, Fault.PARTITION);
    private static final int SOME = 300;

    private final ExecutorService waiters = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> requestRows = new ArrayList<>();
    private final List<String> topicRows = new ArrayList<>();
    private Wire wire;

    @BeforeEach
    void open() throws IOException {
        wire = Wire.open();
    }

    @AfterEach
    void close() throws IOException {
        waiters.shutdownNow();
        if (wire != null) {
            wire.close();
        }
    }

    @Test
    void shouldLoseNothingInSilence() throws Exception {
        try (Pair with = Pair.start(wire, "7400", "on");
                Pair without = Pair.start(wire, "7500", "off")) {
            List<Pair> pairs = List.of(with, without);
            for (Pair pair : pairs) {
                pair.awaitTraffic();
            }
            for (Fault fault : Fault.values()) {
                if (SOME_FAULTS.contains(fault) || System.getProperty(ALL, "").equals("all")) {
                    suffer(fault, with, without);
                }
            }
            for (Pair pair : pairs) {
                pair.awaitSocketsOfTheBeginning();
                assertEquals(List.of(), pair.listener.violations());
            }
            loseProcesses(with, without);
            for (Pair pair : pairs) {
                pair.connector.stop();
                pair.connector.awaitLine("done"::equals, "to be done");
                assertEquals(List.of(), pair.connector.violations());
                assertEquals(List.of(), pair.listener.violations());
            }
        }
        write("requests.md", requestRows);
        write("topics.md", topicRows);
    }

    private void suffer(Fault fault, Pair with, Pair without) throws Exception {
        Beginning off = new Beginning(without);
        Beginning on = new Beginning(with);
        HeldBack beforeOff = HeldBack.now(wire, without.connector);
        HeldBack beforeOn = HeldBack.now(wire, with.connector);
        fault.begin(wire);
        if (fault.reason == null) {
            for (Pair pair : List.of(with, without)) {
                pair.awaitTraffic();
            }
            HeldBack.now(wire, without.connector).shows(fault, beforeOff);
            HeldBack.now(wire, with.connector).shows(fault, beforeOn);
            fault.end(wire);
            assertEquals(0, off.unknown() + off.missed(), () -> fault + ": " + without.connector.lines());
            assertEquals(0, on.unknown() + on.missed(), () -> fault + " with failover: " + with.connector.lines());
            requestRows.add("| " + fault.words + " | all are answered | | | all are answered | at once |");
            topicRows.add("| " + fault.words + " | none is missed | | | none is missed | at once |");
            return;
        }
        Future<String> requestsNoticed = when(off.beganNs, () -> off.await("requests UNAVAILABLE"));
        Future<String> topicNoticed = when(off.beganNs, () -> off.await("topic " + fault.reason));
        Future<String> stalled = when(on.beganNs, () -> with.connector.awaitReports(Report.STALLED));
        String requests = requestsNoticed.get();
        String topic = topicNoticed.get();
        stalled.get();
        long healedNs = System.nanoTime();
        List<Future<String>> healed = List.of(
                when(healedNs, () -> without.connector.awaitMore("requests", 1)),
                when(healedNs, () -> without.connector.awaitMore("topic", 1)),
                when(healedNs, () -> with.connector.awaitMore("requests", 1)),
                when(healedNs, () -> with.connector.awaitMore("topic", 1)));
        fault.end(wire);
        List<String> times = results(healed);
        for (Pair pair : List.of(with, without)) {
            pair.awaitTraffic();
        }
        on.awaitResumed();
        assertEquals(0, on.unknown() + on.missed(), () -> fault + " with failover: " + with.connector.lines());
        requestRows.add("| " + fault.words + " | " + off.unknown() + " fail with `UNAVAILABLE` | " + requests + " | "
                + times.get(0) + " | all are answered | " + times.get(2) + " |");
        topicRows.add(
                "| " + fault.words + " | `" + fault.reason + "`, and " + count(off.missed()) + " are reported missed | "
                        + topic + " | " + times.get(1) + " | none is missed | " + times.get(3) + " |");
    }

    /** Half-open: the listening processes are gone, and nobody can say so until others answer at their addresses. */
    private void loseProcesses(Pair with, Pair without) throws Exception {
        Beginning off = new Beginning(without);
        Beginning on = new Beginning(with);
        Fault.PARTITION.begin(wire);
        for (Pair pair : List.of(with, without)) {
            pair.listener.kill();
        }
        Future<String> requestsNoticed = when(off.beganNs, () -> off.await("requests UNAVAILABLE"));
        Future<String> topicNoticed = when(off.beganNs, () -> off.await("topic PEER_LOST"));
        for (Pair pair : List.of(with, without)) {
            pair.replaceListener(wire);
        }
        String requests = requestsNoticed.get();
        String topic = topicNoticed.get();
        long healedNs = System.nanoTime();
        List<Future<String>> healed = List.of(
                when(healedNs, () -> without.connector.awaitMore("requests", 1)),
                when(healedNs, () -> off.await("topic restarted")),
                when(healedNs, () -> with.connector.awaitMore("requests", 1)),
                when(healedNs, () -> on.await("topic restarted")));
        Fault.PARTITION.end(wire);
        List<String> times = results(healed);
        for (Pair pair : List.of(with, without)) {
            pair.awaitTraffic();
        }
        String words = "the peer is killed behind a partition, and another process listens";
        requestRows.add("| " + words + " | " + off.unknown() + " fail with `UNAVAILABLE` | " + requests + " | "
                + times.get(0) + " | " + on.unknown() + " fail with `UNAVAILABLE` | " + times.get(2) + " |");
        topicRows.add("| " + words + " | `PEER_LOST`, then `restarted` | " + topic + " | " + times.get(1)
                + " | `PEER_LOST`, then `restarted` | " + times.get(3) + " |");
    }

    /** Something that a test waits for. */
    private interface Wait {
        void await() throws InterruptedException;
    }

    /** How long after a time it happened. */
    private Future<String> when(long sinceNs, Wait wait) {
        Callable<String> waiter = () -> {
            wait.await();
            return String.format(Locale.ROOT, "%,d ms", (System.nanoTime() - sinceNs) / 1_000_000);
        };
        return waiters.submit(waiter);
    }

    private static List<String> results(List<Future<String>> times) throws Exception {
        List<String> results = new ArrayList<>();
        for (Future<String> time : times) {
            results.add(time.get());
        }
        return results;
    }

    private static String count(long messages) {
        return String.format(Locale.ROOT, "%,d", messages);
    }

    private static void write(String name, List<String> rows) throws IOException {
        Path folder = Files.createDirectories(RepositoryRoot.path().resolve("target/network-faults"));
        Files.write(folder.resolve(name), rows);
    }

    /** What the connector of a pair had reported when a fault began. */
    private static final class Beginning {
        private final Talker connector;
        private final int lines;
        private final long unknown;
        private final long missed;
        private final long resumed;
        private final long beganNs = System.nanoTime();

        Beginning(Pair pair) {
            connector = pair.connector;
            lines = connector.lines().size();
            unknown = connector.value("unknown");
            missed = connector.value("missed");
            resumed = connector.value("resumed");
        }

        void await(String line) throws InterruptedException {
            connector.awaitLine(lines, line::equals, "to say " + line);
        }

        void awaitResumed() throws InterruptedException {
            connector.awaitAtLeast("resumed", resumed + 1);
        }

        long unknown() {
            return connector.value("unknown") - unknown;
        }

        long missed() {
            return connector.value("missed") - missed;
        }
    }

    /** A process that asks and subscribes on the near host, and one on the far host that serves it. */
    private static final class Pair implements AutoCloseable {
        private final String port;
        private final String failover;
        private final Talker connector;
        private Talker listener;
        private long connectorSockets;
        private long listenerSockets;

        private Pair(String port, String failover, Talker listener, Talker connector) {
            this.port = port;
            this.failover = failover;
            this.listener = listener;
            this.connector = connector;
        }

        static Pair start(Wire wire, String port, String failover) throws Exception {
            Talker listener = listen(wire, port, failover);
            return new Pair(
                    port,
                    failover,
                    listener,
                    Talker.start(wire.onNear(), LayerPeer.class, "connect", Wire.FAR_ADDRESS, port, failover));
        }

        private static Talker listen(Wire wire, String port, String failover) throws Exception {
            Talker listener = Talker.start(wire.onFar(), LayerPeer.class, "listen", Wire.FAR_ADDRESS, port, failover);
            listener.awaitLine("listening"::equals, "to listen");
            return listener;
        }

        void replaceListener(Wire wire) throws Exception {
            listener = listen(wire, port, failover);
        }

        /** Waits for some more of both. */
        void awaitTraffic() throws InterruptedException {
            connector.awaitNow();
            long requests = connector.value("requests") + SOME;
            connector.awaitMore("topic", SOME);
            connector.awaitAtLeast("requests", requests);
            if (connectorSockets == 0) {
                connectorSockets = connector.value("sockets");
                listenerSockets = listener.value("sockets");
            }
        }

        void awaitSocketsOfTheBeginning() throws InterruptedException {
            connector.awaitExactly("sockets", connectorSockets);
            listener.awaitExactly("sockets", listenerSockets);
        }

        @Override
        public void close() {
            connector.close();
            listener.close();
        }
    }
}
