package io.fairlead.system.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of a network between two hosts, and what endpoints over TCP make of them. The rows of docs/proof.md are in target/network-faults. */
@Timeout(600)
final class NetworkFaultsTest {
    private static final String PORT = "7400";
    private static final int SOME = 300;

    private final List<String> rows = new ArrayList<>();
    private Wire wire;

    @BeforeEach
    void open() throws IOException {
        wire = Wire.open();
    }

    @AfterEach
    void close() throws IOException {
        if (wire != null) {
            wire.close();
        }
    }

    /** One pair of endpoints outlives all faults, one after the other. */
    @Test
    void shouldLoseNothingWithFailover() throws Exception {
        try (Talker listener = Talker.start(wire.onFar(), NumberedPeer.class, "listen", Wire.FAR_ADDRESS, PORT, "on")) {
            listener.awaitLine("listening"::equals, "to listen");
            try (Talker connector =
                    Talker.start(wire.onNear(), NumberedPeer.class, "connect", Wire.FAR_ADDRESS, PORT, "on")) {
                connector.awaitAtLeast("received", SOME);
                long sockets = connector.value("sockets");
                for (Fault fault : Fault.values()) {
                    long resumed = connector.value("resumed");
                    HeldBack before = HeldBack.now(wire, connector);
                    fault.begin(wire);
                    if (fault.reason != null) {
                        connector.awaitReports(Report.STALLED);
                    } else {
                        connector.awaitMore("received", SOME);
                        show(fault, "on", before, connector);
                    }
                    long healedNs = System.nanoTime();
                    fault.end(wire);
                    connector.awaitMore("received", SOME);
                    row(
                            fault.words,
                            "on",
                            connector.value("resumed") > resumed ? "goes on over another connection" : "goes on",
                            fault.reason != null ? milliseconds(healedNs) + " after its end" : "at once");
                }
                connector.awaitExactly("sockets", sockets);
                finish(connector, listener);
            }
        }
        write("on.md");
    }

    @Test
    void shouldFailWithTheReasonWithoutFailover() throws Exception {
        try (Talker listener =
                Talker.start(wire.onFar(), NumberedPeer.class, "listen", Wire.FAR_ADDRESS, PORT, "off")) {
            listener.awaitLine("listening"::equals, "to listen");
            for (Fault fault : Fault.values()) {
                try (Talker connector =
                        Talker.start(wire.onNear(), NumberedPeer.class, "connect", Wire.FAR_ADDRESS, PORT, "off")) {
                    connector.awaitAtLeast("received", SOME);
                    HeldBack before = HeldBack.now(wire, connector);
                    long beganNs = System.nanoTime();
                    fault.begin(wire);
                    if (fault.reason != null) {
                        String failed = connector.awaitLine(line -> line.startsWith("failed "), "to fail");
                        assertTrue(failed.startsWith("failed " + fault.reason + " "), failed);
                        row(fault.words, "off", "fails with `" + fault.reason + "`", milliseconds(beganNs));
                        fault.end(wire);
                    } else {
                        connector.awaitMore("received", SOME);
                        show(fault, "off", before, connector);
                        fault.end(wire);
                        finish(connector, listener);
                        row(fault.words, "off", "goes on", "at once");
                    }
                }
            }
            assertTrue(
                    listener.violations().isEmpty(), () -> listener.violations().toString());
        }
        write("off.md");
    }

    /** Half-open: the peer's process is gone, and nobody can say so. */
    @Test
    void shouldNoticeAProcessThatEndsBehindAPartition() throws Exception {
        for (String failover : List.of("off", "on")) {
            try (Talker listener =
                    Talker.start(wire.onFar(), NumberedPeer.class, "listen", Wire.FAR_ADDRESS, PORT, failover)) {
                listener.awaitLine("listening"::equals, "to listen");
                try (Talker connector =
                        Talker.start(wire.onNear(), NumberedPeer.class, "connect", Wire.FAR_ADDRESS, PORT, failover)) {
                    connector.awaitAtLeast("received", SOME);
                    Fault.PARTITION.begin(wire);
                    listener.kill();
                    long beganNs = System.nanoTime();
                    try (Talker next = Talker.start(
                            wire.onFar(), NumberedPeer.class, "listen", Wire.FAR_ADDRESS, PORT, failover)) {
                        next.awaitLine("listening"::equals, "to listen");
                        boolean on = failover.equals("on");
                        if (on) {
                            // Only another incarnation can say that the peer is gone.
                            Fault.PARTITION.end(wire);
                        }
                        String failed = connector.awaitLine(line -> line.startsWith("failed "), "to fail");
                        assertTrue(failed.startsWith("failed PEER_LOST "), failed);
                        row(
                                "the peer is killed behind a partition",
                                failover,
                                "fails with `PEER_LOST`",
                                on ? "when another process answers" : milliseconds(beganNs));
                        if (!on) {
                            Fault.PARTITION.end(wire);
                        }
                        assertFalse(next.lines().contains("connected"), next.lines()::toString);
                    }
                }
            }
        }
        write("half-open.md");
    }

    @Test
    void shouldNameTheRemedyWhenThereIsNoPortLeft() throws Exception {
        wire.limitPorts(1);
        try (Talker listener =
                Talker.start(wire.onFar(), NumberedPeer.class, "listen", Wire.FAR_ADDRESS, PORT, "off")) {
            listener.awaitLine("listening"::equals, "to listen");
            try (Talker first =
                    Talker.start(wire.onNear(), NumberedPeer.class, "connect", Wire.FAR_ADDRESS, PORT, "off")) {
                first.awaitAtLeast("received", SOME);
                try (Talker second =
                        Talker.start(wire.onNear(), NumberedPeer.class, "connect", Wire.FAR_ADDRESS, PORT, "off")) {
                    String failed = second.awaitLine(line -> line.startsWith("failed "), "to fail");
                    assertTrue(failed.contains("Cannot assign requested address"), failed);
                    row("no port is left to connect from", "off", failed.split(" ")[1], "at once");
                }
                first.awaitMore("received", SOME);
                finish(first, listener);
            }
        }
        write("ports.md");
    }

    private void show(Fault fault, String failover, HeldBack before, Talker connector) throws IOException {
        String shown = HeldBack.now(wire, connector).shows(fault, before);
        if (!shown.isEmpty()) {
            row(fault.words, failover, shown, "");
        }
    }

    private static void finish(Talker connector, Talker listener) throws Exception {
        connector.stop();
        String done = connector.awaitLine(line -> line.startsWith("done "), "to be done");
        String sent = done.replaceAll(".* sent=(\\d+) .*", "$1");
        assertTrue(done.endsWith(" received=" + sent), done);
        assertEquals(List.of(), connector.violations());
        assertEquals(List.of(), listener.violations());
    }

    private static String milliseconds(long sinceNs) {
        return String.format(Locale.ROOT, "%,d ms", (System.nanoTime() - sinceNs) / 1_000_000);
    }

    private void row(String fault, String failover, String what, String when) {
        rows.add("| " + fault + " | " + failover + " | " + what + " | " + when + " |");
    }

    private void write(String name) throws IOException {
        Path folder = Files.createDirectories(RepositoryRoot.path().resolve("target/network-faults"));
        Files.write(folder.resolve(name), rows);
    }
}
