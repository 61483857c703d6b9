package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A peer in another process that dies, stalls or ends in order while operations of every kind are in flight. */
public class ProcessContract extends ProcessCases {
    private static final int LONG_MESSAGE = 1 << 20;
    private static final int VERY_LONG_MESSAGE = 32 << 20;
    /** Where the first bytes that are looked at of a message on its way are: some of it is here by then, and most is not. */
    private static final long BEGUN = 2 << 20;

    /** Enough for a virtual machine and its transports, and what is left of it when a case begins. */
    private static final int DESCRIPTORS_MAX = 256;

    private static final int DESCRIPTORS_LEFT = 48;
    /** Before what {@link DescriptorProgram} says of an attempt to connect. */
    private static final String CONNECTING = "connecting: ";

    /** More than one turn reads. */
    private static final int SENT_BEFORE_KILL = 100;

    private static final int KILLED_SENDERS = repetitions(4);

    /** Creates the suite. */
    protected ProcessContract() {}

    @Test
    @Semantics("F-50")
    void shouldFailEveryOperationInFlightWhenThePeersProcessIsKilled() throws IOException, InterruptedException {
        try (PeerProcess process = start(NEVER)) {
            Remote remote = meet(process);
            // Standing still first, it has answered nothing when it dies.
            process.stop();
            Map<Long, Set<Status>> ids = postEveryKind(remote);
            process.kill();
            progressUntil(() -> server().events().ended(remote.end().endpoint()), "the death to be noticed");
            ids.forEach((id, allowed) -> {
                Outcome outcome = server().recorder().outcome(id);
                assertTrue(allowed.contains(outcome.status()), () -> outcome + ", allowed " + allowed);
            });
            assertEquals(EndpointState.FAILED, remote.end().endpoint().state());
            assertEquals(
                    Reason.PEER_LOST,
                    remote.end().endpoint().failure().orElseThrow().reason());
        }
    }

    @Test
    @Semantics("F-51")
    void shouldGiveUpAProcessThatStandsStillForTooLong() throws IOException, InterruptedException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(500));
        // Longer than a process waits for a processor of a busy machine, or it is given up before it is stopped.
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofSeconds(5));
        try (PeerProcess process = start(NEVER)) {
            Remote remote = meet(process);
            long id = remote.end().receive(buffer(8), 1);
            process.stop();
            progressUntil(() -> server().events().ended(remote.end().endpoint()), "stall.timeout to pass");
            FairleadException failure = remote.end().endpoint().failure().orElseThrow();
            assertEquals(Reason.PEER_SILENT, failure.reason());
            assertMentions("stall.timeout=5000 ms", failure);
            assertEquals(Status.PEER_FAILED, server().recorder().outcome(id).status());
            process.goOn();
            progressUntil(
                    () -> process.said("failed PEER_LOST"), "the process to learn of it; it said " + process.lines());
        }
    }

    @Test
    @Semantics({"F-51", "F-71"})
    void shouldKeepAProcessThatStandsStillForLessThanTheStallTimeout() throws IOException, InterruptedException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(500));
        try (PeerProcess process = start(Duration.ofMillis(500))) {
            Remote remote = meet(process);
            process.stop();
            process.command("send " + LONG_MESSAGE);
            postUntilFull(remote);
            long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
            progressUntil(() -> System.nanoTime() - until > 0, "several liveness timeouts to pass");
            assertEquals(
                    EndpointState.CONNECTED,
                    remote.end().endpoint().state(),
                    () -> remote.end().endpoint().failure().toString());
            process.goOn();
            MemorySegment target = buffer(LONG_MESSAGE);
            completeOk(remote.end(), remote.end().receive(target, PeerProgram.MESSAGE_TAG));
            Pattern.verify(target, 0, LONG_MESSAGE, PeerProgram.MESSAGE_TAG);
            completeAll(server());
            assertTrue(
                    process.lines().stream().noneMatch(line -> line.startsWith("failed")),
                    () -> "said " + process.lines());
        }
    }

    @Test
    @Semantics("F-52")
    void shouldCloseWhenThePeersProcessEndsInOrder() throws IOException {
        try (PeerProcess process = start(NEVER)) {
            Remote remote = meet(process);
            long id = remote.end().receive(buffer(8), 1);
            process.command("exit");
            progressUntil(() -> server().events().ended(remote.end().endpoint()), "the goodbye");
            assertEquals(EndpointState.CLOSED, remote.end().endpoint().state());
            assertEquals(Status.CLOSED, server().recorder().outcome(id).status());
            progressUntil(() -> !process.isAlive(), "the process to end");
        }
    }

    @Test
    @Semantics("F-53")
    void shouldFailAReceiveWhenThePeersProcessDiesInTheMiddleOfTheMessage() throws IOException, InterruptedException {
        try (PeerProcess process = start(NEVER)) {
            Remote remote = meet(process);
            awaitVeryLongMessage(process);
            process.stop();
            MemorySegment target = buffer(VERY_LONG_MESSAGE);
            long id = server().receive(target, PeerProgram.MESSAGE_TAG, Worker.FULL_TAG_MASK);
            process.kill();
            Outcome outcome = complete(server(), id);
            if (outcome.status() == Status.OK) {
                // A transport that reads the peer's memory can be faster than the kernel takes it away.
                Pattern.verify(target, 0, VERY_LONG_MESSAGE, PeerProgram.MESSAGE_TAG);
            } else {
                assertEquals(Status.PEER_FAILED, outcome.status());
            }
            assertSame(remote.end().endpoint(), outcome.source().orElseThrow());
        }
    }

    /** Has a message announced that waits at its sender. */
    private void awaitVeryLongMessage(PeerProcess process) {
        process.command("send " + VERY_LONG_MESSAGE);
        progressUntil(
                () -> server().worker()
                        .probe(
                                PeerProgram.MESSAGE_TAG,
                                Worker.FULL_TAG_MASK,
                                server().worker().newMessageInfo()),
                "the message to be announced");
    }

    @Test
    @Semantics("N-18")
    void shouldRefuseConnectionsForWhichAListenerHasNoDescriptors() throws IOException {
        try (PeerProcess process = shortOfDescriptors(DESCRIPTORS_LEFT)) {
            InetSocketAddress address = listening(process);
            List<Endpoint> endpoints = new ArrayList<>();
            for (int i = 0; i < 2 * DESCRIPTORS_LEFT; i++) {
                endpoints.add(client().connect(address));
            }
            progressUntil(
                    () -> endpoints.stream().noneMatch(endpoint -> endpoint.state() == EndpointState.CONNECTING),
                    "each endpoint to be connected or refused; the process said " + process.lines());
            int connected = 0;
            for (Endpoint endpoint : endpoints) {
                if (endpoint.state() == EndpointState.CONNECTED) {
                    connected++;
                    End end = new End(client(), endpoint);
                    completeOk(end, end.sendSynchronous(buffer(8), DescriptorProgram.TAG));
                } else {
                    FairleadException failure = endpoint.failure().orElseThrow();
                    assertEquals(
                            Reason.LIMIT_REACHED, failure.reason(), () -> failure + "; it said " + process.lines());
                    assertMentions("ulimit -n", failure);
                }
            }
            int served = connected;
            assertTrue(served >= DESCRIPTORS_LEFT / 4, () -> "served=" + served + "; it said " + process.lines());
            assertTrue(served < DESCRIPTORS_LEFT, () -> "served=" + served + "; it said " + process.lines());
        }
    }

    @Test
    @Semantics("N-19")
    void shouldFailToConnectWithFewDescriptorsLeft() throws IOException {
        try (PeerProcess process = shortOfDescriptors(4)) {
            int port = server().listener().address().getPort();
            process.command("connect " + port);
            progressUntil(
                    () -> process.saidAfter(CONNECTING).isPresent(), "the process to fail; it said " + process.lines());
            String said = process.saidAfter(CONNECTING).orElseThrow();
            assertTrue(said.startsWith("LIMIT_REACHED ") && said.contains("ulimit -n"), said);
        }
    }

    @Test
    @Semantics("N-22")
    void shouldNoticeAtOnceThatAnApplicationHasOpenedFiles() throws IOException {
        try (PeerProcess process = withDescriptors()) {
            InetSocketAddress address = listening(process);
            for (int i = 0; i < 2; i++) {
                assertEquals("connected", connectFrom(process));
                Endpoint endpoint = client().connect(address);
                progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, "the client to be connected");
            }
            // Fewer than are kept in reserve, and fewer each time; the last time none at all, when the process has
            // loaded what it needs.
            for (int left : new int[] {16, 4, 0}) {
                leave(process, left);
                Endpoint endpoint = client().connect(address);
                progressUntil(
                        () -> endpoint.state() == EndpointState.CONNECTED
                                || client().events().ended(endpoint),
                        "the client to be refused; the process said " + process.lines());
                FairleadException failure = endpoint.failure().orElseThrow();
                assertEquals(Reason.LIMIT_REACHED, failure.reason(), () -> failure + "; left=" + left);
                assertMentions("ulimit -n", failure);
                String said = connectFrom(process);
                assertTrue(said.startsWith("LIMIT_REACHED ") && said.contains("ulimit -n"), said);
            }
            leave(process, DESCRIPTORS_LEFT);
            assertEquals("connected", connectFrom(process));
            Endpoint endpoint = client().connect(address);
            progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, "the client to be connected again");
        }
    }

    /** What the process says of an attempt to connect to the server. */
    private String connectFrom(PeerProcess process) {
        long before = attempts(process);
        process.command("connect " + server().listener().address().getPort());
        progressUntil(() -> attempts(process) > before, "the process to connect; it said " + process.lines());
        return process.lines().stream()
                .filter(line -> line.startsWith(CONNECTING))
                .map(line -> line.substring(CONNECTING.length()))
                .toList()
                .getLast();
    }

    private static long attempts(PeerProcess process) {
        return process.lines().stream()
                .filter(line -> line.startsWith(CONNECTING))
                .count();
    }

    private PeerProcess shortOfDescriptors(int left) throws IOException {
        PeerProcess process = withDescriptors();
        leave(process, left);
        return process;
    }

    private void leave(PeerProcess process, int left) {
        process.command("leave " + left);
        progressUntil(() -> process.said("left " + left), "the process to be short; it said " + process.lines());
    }

    private PeerProcess withDescriptors() throws IOException {
        PeerProcess process = closeLater(new PeerProcess(
                transport(),
                List.of("sh", "-c", "ulimit -n " + DESCRIPTORS_MAX + " && exec \"$@\"", "sh"),
                DescriptorProgram.class));
        progressUntil(() -> process.saidAfter("listening ").isPresent() || !process.isAlive(), "the process to listen");
        return process;
    }

    private static InetSocketAddress listening(PeerProcess process) {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(),
                Integer.parseInt(process.saidAfter("listening ").orElseThrow()));
    }

    @Test
    @Semantics("F-53")
    void shouldFailAReceiveOfAMessageThatDiedWithItsSender() throws IOException {
        try (PeerProcess process = start(NEVER)) {
            Remote remote = meet(process);
            awaitVeryLongMessage(process);
            process.kill();
            process.awaitEnd();
            long id = server().receive(buffer(VERY_LONG_MESSAGE), PeerProgram.MESSAGE_TAG, Worker.FULL_TAG_MASK);
            Outcome outcome = complete(server(), id);
            assertEquals(Status.PEER_FAILED, outcome.status());
            assertSame(remote.end().endpoint(), outcome.source().orElseThrow());
        }
    }

    @Test
    @Semantics("F-54")
    void shouldKeepOtherPeersWhenProcessesAreKilledWhileTheySend() throws IOException {
        PeerProcess second = closeLater(start(NEVER));
        Remote living = meet(second);
        for (int round = 0; round < KILLED_SENDERS; round++) {
            try (PeerProcess first = start(NEVER)) {
                Remote doomed = meet(first);
                MemorySegment scratch = buffer(VERY_LONG_MESSAGE);
                doomed.end().receive(scratch, PeerProgram.MESSAGE_TAG);
                first.command("send " + VERY_LONG_MESSAGE);
                progressUntil(() -> scratch.get(ValueLayout.JAVA_LONG, BEGUN) != 0, "the message to begin");
                first.kill();
                progressUntil(() -> server().events().ended(doomed.end().endpoint()), "the death to be noticed");
            }
        }
        second.command("send " + LONG_MESSAGE);
        MemorySegment target = buffer(LONG_MESSAGE);
        completeOk(living.end(), living.end().receive(target, PeerProgram.MESSAGE_TAG));
        Pattern.verify(target, 0, LONG_MESSAGE, PeerProgram.MESSAGE_TAG);
        try (PeerProcess third = start(NEVER)) {
            Remote newcomer = meet(third);
            assertEquals(EndpointState.CONNECTED, newcomer.end().endpoint().state());
        }
    }

    @Test
    @Semantics("F-54")
    void shouldKeepOtherPeersWhenOneProcessDies() throws IOException {
        try (PeerProcess first = start(NEVER)) {
            Remote doomed = meet(first);
            PeerProcess second = closeLater(start(NEVER));
            Remote living = meet(second);
            first.command("halt");
            progressUntil(() -> server().events().ended(doomed.end().endpoint()), "the death to be noticed");
            second.command("send " + LONG_MESSAGE);
            MemorySegment target = buffer(LONG_MESSAGE);
            completeOk(living.end(), living.end().receive(target, PeerProgram.MESSAGE_TAG));
            Pattern.verify(target, 0, LONG_MESSAGE, PeerProgram.MESSAGE_TAG);
            assertEquals(EndpointState.CONNECTED, living.end().endpoint().state());
        }
    }

    @Test
    @Semantics("F-55")
    void shouldReachTheMemoryOfAnotherProcess() throws IOException {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        try (PeerProcess process = start(NEVER)) {
            Remote remote = meet(process);
            End end = remote.end();
            end.put(pattern(4096, 9), remote.key(), 512);
            completeOk(end, end.flush());
            MemorySegment target = buffer(4096);
            completeOk(end, end.get(target, remote.key(), 512));
            Pattern.verify(target, 0, 4096, 9);
            assertEquals(0, completeOk(end, end.fetchAdd(7, remote.key(), 0)).value());
            assertEquals(7, completeOk(end, end.swap(1, remote.key(), 0)).value());
        }
    }

    @Test
    @Semantics("F-76")
    void shouldReceiveWhatAProcessHadSentBeforeItWasKilled() throws IOException {
        assumeTrue(transport().provider().name().equals("shm"), "other transports do not promise it");
        try (PeerProcess process = start(NEVER)) {
            Remote remote = meet(process);
            List<Long> ids = new ArrayList<>();
            List<MemorySegment> targets = new ArrayList<>();
            for (int i = 0; i < SENT_BEFORE_KILL; i++) {
                MemorySegment target = buffer(8);
                targets.add(target);
                ids.add(remote.end().receive(target, PeerProgram.MESSAGE_TAG));
                process.command("send 8");
            }
            // This side makes no progress before the process has ended.
            while (process.lines().stream().filter("sent"::equals).count() < SENT_BEFORE_KILL) {
                assertTrue(process.isAlive(), () -> "it said " + process.lines());
                Thread.onSpinWait();
            }
            process.kill();
            process.awaitEnd();
            progressUntil(() -> server().events().ended(remote.end().endpoint()), "the death to be noticed");
            for (int i = 0; i < SENT_BEFORE_KILL; i++) {
                assertEquals(Status.OK, server().recorder().outcome(ids.get(i)).status());
                Pattern.verify(targets.get(i), 0, 8, PeerProgram.MESSAGE_TAG);
            }
            assertEquals(
                    Reason.PEER_LOST,
                    remote.end().endpoint().failure().orElseThrow().reason());
        }
    }

    private Map<Long, Set<Status>> postEveryKind(Remote remote) {
        End end = remote.end();
        Set<Capability> can = transport().capabilities();
        Set<Status> failed = Set.of(Status.PEER_FAILED);
        Set<Status> either = Set.of(Status.OK, Status.PEER_FAILED);
        Set<Status> served = can.contains(Capability.ONE_SIDED) ? either : failed;
        Map<Long, Set<Status>> ids = new HashMap<>();
        ids.put(end.receive(buffer(8), 1), failed);
        ids.put(end.sendSynchronous(buffer(8), 2), failed);
        ids.put(end.send(buffer(VERY_LONG_MESSAGE), 3), failed);
        ids.put(end.send(buffer(8), 4), either);
        if (can.contains(Capability.PUT)) {
            ids.put(end.put(buffer(64), remote.key(), 0), either);
        }
        if (can.contains(Capability.PUT_SIGNAL)) {
            ids.put(end.putSignal(buffer(64), 1, remote.key(), 0), either);
        }
        if (can.contains(Capability.GET)) {
            ids.put(end.get(buffer(64), remote.key(), 0), served);
        }
        if (can.contains(Capability.ATOMIC)) {
            ids.put(end.fetchAdd(1, remote.key(), 0), served);
        }
        if (can.contains(Capability.PUT)) {
            ids.put(end.flush(), served);
        }
        return ids;
    }
}
