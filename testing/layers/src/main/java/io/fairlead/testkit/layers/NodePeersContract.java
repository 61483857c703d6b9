package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.node.BackPressure;
import io.fairlead.node.MemberWatch;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSelection;
import io.fairlead.node.PeerSet;
import io.fairlead.node.discovery.Member;
import io.fairlead.servicetest.MemoryRegistry;
import io.fairlead.testkit.contract.Semantics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sets of peers that are found by name: how they choose and wait. */
public class NodePeersContract extends NodePeersCases {
    private static final List<String> MALFORMED = List.of(
            "feed",
            ":x",
            "dns",
            "Static:h:1",
            "static:",
            "static:h",
            "static:h:0",
            "static:a:1,,b:1",
            "static://x",
            "localhost:99999",
            "localhost:100000",
            "localhost:+80",
            "[::1]:65536",
            "static:h:+80",
            "zk :a");

    /** Creates the suite. */
    protected NodePeersContract() {}

    @Test
    @Semantics("O-130")
    void shouldConnectToTheFirstMemberThatListens() {
        Server gone = serve("gone");
        gone.node().close();
        Server here = serve("here");
        Server spare = serve("spare", loopback(), 1);
        members(gone, spare, here);
        Peer peer = get(clientNode().connect(name));
        assertEquals("here", peer.name());
        get(peer.send(new byte[3], 1));
        assertEquals(3, get(here.node().receive(1)).length());
        assertEquals(
                "here",
                get(clientNode().connect("static:" + Member.text(here.member().address())))
                        .name());
    }

    @Test
    @Semantics("O-130")
    void shouldFailToConnectAsTheLastMemberDoes() {
        Server gone = serve("gone");
        gone.node().close();
        members(gone);
        FairleadException failure = failureOf(clientNode().connect(name));
        assertEquals(Reason.CONNECTION_REFUSED, failure.reason());
        assertTrue(failure.toString().contains("name=" + name), failure::toString);
        assertTrue(failure.toString().contains("gone at "), failure::toString);
    }

    @Test
    @Semantics("O-131")
    void shouldRefuseMalformedNames() {
        Node node = clientNode();
        for (String malformed : MALFORMED) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> node.peers(malformed), malformed);
            assertTrue(refused.toString().contains("; write "), refused::toString);
            assertThrows(IllegalArgumentException.class, () -> node.connect(malformed), malformed);
        }
        IllegalArgumentException port =
                assertThrows(IllegalArgumentException.class, () -> node.connect("localhost:100000"));
        assertMentions("port=100000, allowed 1 to 65535", port);
    }

    @Test
    @Semantics("O-131")
    void shouldNameTheSchemesThatThereAre() {
        FairleadException failure = failureOf(clientNode().peers("carrier-pigeon:x"));
        assertEquals(Reason.UNSUPPORTED, failure.reason());
        assertTrue(failure.toString().contains("memory"), failure::toString);
        assertTrue(failure.toString().contains("static"), failure::toString);
        assertEquals(
                Reason.UNSUPPORTED,
                failureOf(clientNode()
                                .register(
                                        "static:h:1",
                                        Member.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1))))
                        .reason());
    }

    @Test
    @Semantics("O-131")
    void shouldFailWithAServiceThatNobodyKnows() {
        assertEquals(Reason.UNKNOWN_HOST, failureOf(clientNode().peers(name)).reason());
        assertEquals(Reason.UNKNOWN_HOST, failureOf(clientNode().connect(name)).reason());
        members();
        assertEquals(Reason.NOT_CONNECTED, failureOf(clientNode().connect(name)).reason());
    }

    @Test
    @Semantics("O-132")
    void shouldSendToOneMemberAfterTheOther() {
        Server[] servers = {serve("a"), serve("b"), serve("c")};
        members(servers);
        PeerSet set = open(options());
        awaitNews("connected a", "connected b", "connected c");
        assertEquals(3, set.peers().size());
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            sends.add(set.send(new byte[i], 1));
        }
        sends.forEach(NodeCases::get);
        assertEquals(Map.of("a", 10, "b", 10, "c", 10), receive(30, 1, servers));
    }

    @Test
    @Semantics("O-132")
    void shouldConnectOnceToAMemberThatIsGivenTwice() {
        Server server = serve("a");
        members(server, server);
        PeerSet set = open(options());
        awaitNews("connected a");
        assertEquals(List.of(server.member()), set.members());
        assertEquals(1, set.peers().size());
        String address = Member.text(server.listener().address());
        try (MemberWatch watch = get(clientNode().watch("static:" + address + "," + address))) {
            assertEquals(1, watch.members().size());
        }
    }

    @Test
    @Semantics("O-133")
    void shouldSendToTheMemberWithTheFewestInFlight() {
        Server busy = serve("busy");
        Server idle = serve("idle");
        members(busy, idle);
        PeerSet set = open(options().withSelection(PeerSelection.LEAST_IN_FLIGHT));
        awaitNews("connected busy", "connected idle");
        // One waits for a match at each; what the idle one matches makes it the better choice.
        CompletableFuture<Void> first = set.sendSynchronous(pattern(1, 1), 1);
        CompletableFuture<Void> second = set.sendSynchronous(pattern(1, 1), 1);
        get(idle.node().receive(1));
        get(CompletableFuture.anyOf(first, second).thenApply(_ -> true));
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Message> received = idle.node().receive(2);
            get(set.sendSynchronous(pattern(1, 1), 2));
            get(received);
        }
        get(busy.node().receive(1));
    }

    @Test
    @Semantics({"O-136", "O-137"})
    void shouldSendAgainWhatHasNotLeftAndNothingElse() {
        configureFewCredits();
        Server lost = serve("lost");
        Server kept = serve("kept", loopback(), 1);
        members(lost, kept);
        PeerSet set = open(options());
        awaitNews("connected lost", "connected kept");
        Peer accepted = take(lost.accepted(), "the connection");
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        int count = 200;
        for (int i = 0; i < count; i++) {
            // Some of these are in the engine, and most wait for credits.
            sends.add(set.sendSynchronous(pattern(100, 1), 1));
        }
        BlockingQueue<Message> arrived = new LinkedBlockingQueue<>();
        for (int i = 0; i < count; i++) {
            CompletableFuture<Void> _ = kept.node().receive(1).thenAccept(arrived::add);
        }
        MemoryRegistry.set(service, List.of(kept.member()));
        MemoryRegistry.set(service, List.of(lost.member(), kept.member()));
        accepted.abort();
        lost.node().close();
        int delivered = 0;
        int named = 0;
        for (CompletableFuture<Void> send : sends) {
            FairleadException failure = outcomeOf(send).failure();
            if (failure == null) {
                delivered++;
            } else {
                assertEquals(Reason.PEER_LOST, failure.reason(), failure::toString);
                assertTrue(failure.toString().contains("member=lost at"), failure::toString);
                named++;
            }
        }
        assertEquals(count, delivered + named);
        assertTrue(delivered > 0 && named > 0, "delivered=" + delivered + ", named=" + named);
        for (int i = 0; i < delivered; i++) {
            take(arrived, "message " + i);
        }
    }

    /** How a future has ended. */
    private record Outcomes(@Nullable FairleadException failure) {}

    private static Outcomes outcomeOf(CompletableFuture<Void> future) {
        CompletableFuture<Outcomes> outcome =
                future.handle((_, thrown) -> new Outcomes(thrown == null ? null : (FairleadException) thrown));
        return get(outcome);
    }

    @Test
    @Semantics("O-136")
    void shouldSendToAnotherMemberWhatOneHasNoRoomFor() {
        configureFewCredits();
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Server full = serve("full");
        Server free = serve("free");
        members(full, free);
        PeerSet set = open(options());
        awaitNews("connected full", "connected free");
        Peer filled = set.peers().stream()
                .filter(peer -> peer.name().equals("full"))
                .findFirst()
                .orElseThrow();
        while (outcomeOf(filled.send(new byte[1000], 9)).failure() == null) {
            // Until the member has no capacity; nothing receives there.
        }
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Message> received = free.node().receive(1);
            get(set.send(new byte[1000], 1));
            get(received);
        }
        while (set.peers().stream()
                .anyMatch(peer -> outcomeOf(peer.send(new byte[1000], 9)).failure() == null)) {
            // Until no member has.
        }
        assertEquals(
                Status.BACK_PRESSURE,
                failureOf(set.send(new byte[1000], 1)).status().orElseThrow());
    }

    @Test
    @Semantics("O-138")
    void shouldWaitForAMember() {
        configure(NodeKeys.QUEUE_MAX, 2);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMillis(200));
        members();
        PeerSet set = open(options());
        FairleadException none = failureOf(set.send(new byte[5], 1));
        assertEquals(Status.NOT_CONNECTED, none.status().orElseThrow());
        assertTrue(none.toString().contains("members=0"), none::toString);
        List<CompletableFuture<Void>> waiting = List.of(set.send(new byte[1], 1), set.send(new byte[1], 1));
        assertEquals(
                Status.NOT_CONNECTED, failureOf(waiting.getFirst()).status().orElseThrow());
        assertEquals(Status.NOT_CONNECTED, failureOf(waiting.getLast()).status().orElseThrow());
        set.close();
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(1));
        Node patient = startNode("patient");
        PeerSet other = get(patient.peers(name, options()));
        CompletableFuture<Void> early = other.send(new byte[5], 1);
        assertFalse(early.isDone());
        Server server = serve("a");
        members(server);
        get(early);
        assertEquals(5, get(server.node().receive(1)).length());
    }

    @Test
    @Semantics("O-138")
    void shouldFailAtOnceWithoutAMember() {
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Server refusing = serve("refusing");
        refusing.node().close();
        members(refusing);
        PeerSet set = open(options());
        FairleadException failure = failureOf(set.send(new byte[5], 1));
        assertEquals(Status.NOT_CONNECTED, failure.status().orElseThrow());
        assertTrue(failure.toString().contains("members=1, connected=0"), failure::toString);
        assertTrue(set.pick().isEmpty());
        awaitNews("lost refusing");
    }

    @Test
    @Semantics("O-148")
    void shouldOpenBeforeItsServiceIsKnown() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        PeerSet set = open(options().openingAtOnce());
        CompletableFuture<Void> early = set.send(new byte[5], 1);
        awaitNews("unresolved UNKNOWN_HOST");
        assertEquals(Reason.UNKNOWN_HOST, set.failure().orElseThrow().reason());
        assertFalse(early.isDone());
        Server server = serve("a");
        members(server);
        get(early);
        assertEquals(5, get(server.node().receive(1)).length());
        assertTrue(set.failure().isEmpty());
        assertEquals(
                Reason.UNSUPPORTED,
                failureOf(clientNode().peers("carrier-pigeon:x", options().openingAtOnce()))
                        .reason());
    }
}
