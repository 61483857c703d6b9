package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ConnectionRequestHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.MemberWatch;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSelection;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.layers.discovery.MemoryRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that are found by name: sets of them as members come and go. */
public class NodePeersContract extends NodeCases {
    private static final AtomicInteger NAMES = new AtomicInteger();
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
    private static final Duration SOON = Duration.ofMillis(10);

    private final String service = "feed-" + NAMES.incrementAndGet();
    private final String name = "memory:" + service;
    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

    /** A node that listens, and the peers that have come to it. */
    private record Server(Node node, Listener listener, Member member, BlockingQueue<Peer> accepted) {}

    /** Creates the suite. */
    protected NodePeersContract() {}

    @AfterEach
    final void forgetService() {
        MemoryRegistry.forget(service);
    }

    private Server serve(String serverName) {
        return serve(serverName, loopback(), 0);
    }

    private Server serve(String serverName, InetSocketAddress at, int priority) {
        Node node = startNode(serverName);
        BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
        Listener listener = node.listen(at, accepted::add);
        return new Server(node, listener, new Member(serverName, listener.address(), priority), accepted);
    }

    private void members(Server... servers) {
        MemoryRegistry.set(
                service, List.of(servers).stream().map(Server::member).toList());
    }

    private PeerSetOptions options() {
        return PeerSetOptions.defaults().withPauses(SOON, SOON).withObserver(new PeerSetObserver() {
            @Override
            public void changed(List<Member> now) {
                news.add("changed " + now.stream().map(Member::name).toList());
            }

            @Override
            public void connected(Member member, Peer peer) {
                news.add("connected " + member.name());
            }

            @Override
            public void lost(Member member, FairleadException cause) {
                news.add("lost " + member.name());
            }

            @Override
            public void unresolved(FairleadException cause) {
                news.add("unresolved " + cause.reason());
            }
        });
    }

    private void awaitNews(String... wanted) {
        List<String> missing = new ArrayList<>(List.of(wanted));
        List<String> seen = new ArrayList<>();
        while (!missing.isEmpty()) {
            String next = take(news, "news " + missing + ", seen " + seen);
            seen.add(next);
            missing.remove(next);
        }
    }

    private PeerSet open(PeerSetOptions options) {
        return get(clientNode().peers(name, options));
    }

    /** Who has received how many of so many messages. */
    private static Map<String, Integer> receive(int count, long tag, Server... servers) {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        for (Server server : servers) {
            for (int i = 0; i < count; i++) {
                CompletableFuture<Void> _ = server.node()
                        .receive(tag)
                        .thenAccept(_ -> received.add(server.member().name()));
            }
        }
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            counts.merge(take(received, "message " + i), 1, Integer::sum);
        }
        return counts;
    }

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
    @Semantics("O-134")
    void shouldFollowMembersAsTheyComeAndGo() {
        // What is in flight at a member that leaves has this long to end.
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(5));
        Server old = serve("old");
        members(old);
        PeerSet set = open(options());
        awaitNews("changed [old]", "connected old");
        CompletableFuture<Void> inFlight = set.sendSynchronous(pattern(1, 1), 1);
        Server young = serve("young");
        members(young);
        awaitNews("changed [young]", "connected young");
        for (int i = 0; i < 4; i++) {
            get(set.send(new byte[1], 2));
        }
        assertEquals(Map.of("young", 4), receive(4, 2, young, old));
        get(old.node().receive(1));
        get(inFlight);
        CompletableFuture<Boolean> left = new CompletableFuture<>();
        take(old.accepted(), "the old member's peer").onClosed(cause -> left.complete(cause.isEmpty()));
        assertTrue(get(left));
        assertEquals(List.of(young.member()), set.members());
    }

    @Test
    @Semantics("O-135")
    void shouldConnectAgainToAMemberThatIsLost() {
        Server server = serve("a");
        members(server);
        PeerSet set = open(options());
        awaitNews("connected a");
        take(server.accepted(), "the first connection").abort();
        awaitNews("lost a", "connected a");
        get(set.send(new byte[2], 1));
        take(server.accepted(), "the second connection").close();
        awaitNews("lost a", "connected a");
        get(set.send(new byte[2], 1));
        get(server.node().receive(1));
        get(server.node().receive(1));
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
    @Semantics("O-139")
    void shouldKeepTheLastMembersWhileNobodyAnswers() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        Server server = serve("a");
        members(server);
        PeerSet set = open(options());
        awaitNews("connected a");
        MemoryRegistry.fail(service, new FairleadException(Reason.TIMED_OUT, "registry does not answer; ask later"));
        awaitNews("unresolved TIMED_OUT");
        assertEquals(Reason.TIMED_OUT, set.failure().orElseThrow().reason());
        MemoryRegistry.fail(service, new FairleadException(Reason.TIMED_OUT, "registry does not answer; ask later"));
        get(set.send(new byte[1], 1));
        get(server.node().receive(1));
        MemoryRegistry.fail(service, new FairleadException(Reason.CONNECTION_REFUSED, "registry is down; start it"));
        // The same reason is reported once.
        assertEquals("unresolved CONNECTION_REFUSED", take(news, "the other reason"));
        Server young = serve("young");
        members(server, young);
        awaitNews("changed [a, young]", "connected young");
        assertTrue(set.failure().isEmpty());
    }

    @Test
    @Semantics("O-140")
    void shouldEndASet() {
        members();
        PeerSet empty = open(options());
        CompletableFuture<Void> waiting = empty.send(new byte[1], 1);
        empty.close();
        empty.close();
        assertEquals(Status.CLOSED, failureOf(waiting).status().orElseThrow());
        assertEquals(
                Status.CLOSED, failureOf(empty.send(new byte[1], 1)).status().orElseThrow());
        Server server = serve("a");
        members(server);
        PeerSet set = open(options());
        awaitNews("connected a");
        set.close();
        CompletableFuture<Boolean> left = new CompletableFuture<>();
        take(server.accepted(), "the member's peer").onClosed(cause -> left.complete(cause.isEmpty()));
        assertTrue(get(left));
        PeerSet last = open(options());
        members();
        awaitNews("changed []");
        CompletableFuture<Void> ofNode = last.send(new byte[1], 1);
        clientNode().close();
        assertEquals(Status.CLOSED, failureOf(ofNode).status().orElseThrow());
        assertEquals(
                Status.CLOSED, failureOf(last.send(new byte[1], 1)).status().orElseThrow());
        assertEquals(Status.CLOSED, failureOf(clientNode().peers(name)).status().orElseThrow());
    }

    @Test
    @Semantics("O-141")
    void shouldRegisterUntilClosed() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(5));
        Server server = serve("a");
        Registration first = get(server.node().register(name, server.member()));
        assertEquals(List.of(server.member()), MemoryRegistry.members(service));
        first.close();
        first.close();
        assertEquals(List.of(), MemoryRegistry.members(service));
        get(server.node().register(name, server.member()));
        PeerSet set = open(options());
        awaitNews("connected a");
        server.node().close();
        assertEquals(List.of(), MemoryRegistry.members(service));
        awaitNews("changed []");
        assertEquals(List.of(), set.members());
        assertEquals(
                Status.CLOSED,
                failureOf(server.node().register(name, server.member()))
                        .status()
                        .orElseThrow());
    }

    @Test
    @Semantics("O-143")
    void shouldSubscribeByNameAndFollowThePublisher() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        NodeSubscriber subscriber = subscribeByName(ReconnectPolicy.always(SOON, SOON));
        BlockingQueue<Long> lengths = new LinkedBlockingQueue<>();
        get(subscriber.subscribe("t", (_, _, _, _, length) -> lengths.add(length)));
        // Nobody knows the name, and then it has no member.
        members();
        Node first = startNode("first");
        NodeTopic old = publish(first, "first");
        publishUntilHeard(old, 3, lengths);
        NodeTopic young = publish(startNode("second"), "second");
        first.close();
        publishUntilHeard(young, 4, lengths);
    }

    private NodeSubscriber subscribeByName(ReconnectPolicy reconnect) {
        return closeLater(get(NodeSubscriber.connect(
                clientNode(), name, SubscriberOptions.defaults().withReconnect(reconnect))));
    }

    @Test
    @Semantics("O-143")
    void shouldLeaveMembersThatAreOfNoUseForTheNext() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        ConnectionRequestHandler rejects = request -> request.reject(Reason.REFUSED, "not this one");
        Listener refusing = get(serverNode().workerThread().call(worker -> worker.listen(loopback(), rejects)));
        NodePublisher without = get(NodePublisher.listen(serverNode(), loopback()));
        NodeTopic _ = get(without.topic("another"));
        NodePublisher good = get(NodePublisher.listen(serverNode(), loopback()));
        NodeTopic topic = get(good.topic("t"));
        MemoryRegistry.set(
                service,
                List.of(
                        Member.of("unresolved", InetSocketAddress.createUnresolved("nowhere.invalid", 7400)),
                        Member.of("refusing", refusing.address()),
                        Member.of("without the topic", without.address()),
                        Member.of("good", good.address())));
        NodeSubscriber subscriber = subscribeByName(ReconnectPolicy.always(SOON, SOON));
        BlockingQueue<Long> lengths = new LinkedBlockingQueue<>();
        get(subscriber.subscribe("t", (_, _, _, _, length) -> lengths.add(length)));
        publishUntilHeard(topic, 3, lengths);
    }

    @Test
    @Semantics("O-143")
    void shouldGiveUpAServiceAfterAsManyAttemptsAsPermitted() {
        members();
        NodeSubscriber subscriber =
                subscribeByName(ReconnectPolicy.always(SOON, SOON).attemptsAtMost(2));
        CompletableFuture<FairleadException> ended = new CompletableFuture<>();
        get(subscriber.subscribe("t", SubscriptionOptions.defaults(), (_, _, _, _, _) -> {}, new SubscriptionEvents() {
            @Override
            public void ended(Subscription subscription, FairleadException cause) {
                ended.complete(cause);
            }
        }));
        FairleadException cause = get(ended);
        assertEquals(Reason.NOT_CONNECTED, cause.reason());
        assertTrue(cause.toString().contains("name=" + name), cause::toString);
    }

    @Test
    @Semantics("O-143")
    void shouldLeaveNothingOfASubscriberThatWasCancelled() {
        members();
        CountDownLatch held = new CountDownLatch(1);
        CompletableFuture<Boolean> holding = clientNode().workerThread().call(_ -> {
            await(held, "the test");
            return true;
        });
        CompletableFuture<NodeSubscriber> connecting = NodeSubscriber.connect(clientNode(), name);
        assertTrue(connecting.cancel(true));
        held.countDown();
        assertTrue(get(holding));
        awaitNoResolver();
    }

    private void awaitNoResolver() {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().endsWith(name))) {
            assertTrue(System.nanoTime() < deadlineNs, "the resolver's thread has not ended");
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    @Semantics("O-144")
    void shouldStayWithTheMembersThatItHasWhereThereAreMore() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        Server a = serve("a");
        Server b = serve("b");
        Server c = serve("c");
        Server d = serve("d");
        members(a, b, c, d);
        PeerSet set = open(options().withMembersMax(2));
        awaitNews("connected a", "connected b");
        members(d, c, b);
        awaitNews("connected d");
        assertEquals(Set.of("b", "d"), set.members().stream().map(Member::name).collect(Collectors.toSet()));
        // The same members in another order are no change.
        members(c, b, d);
        members(c, b);
        assertEquals("changed [c, b]", take(news, "the next change"));
    }

    @Test
    @Semantics("O-144")
    void shouldTakeMembersOfTheBestPriorityWhereThereAreMore() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        Server spare = serve("spare", loopback(), 20);
        Server best = serve("best", loopback(), 10);
        members(spare);
        PeerSet set = open(options().withMembersMax(1));
        awaitNews("connected spare");
        members(spare, best);
        awaitNews("connected best");
        assertEquals(List.of("best"), set.members().stream().map(Member::name).toList());
    }

    @Test
    @Semantics("O-145")
    void shouldAskOnceForChangesThatFollowEachOtherClosely() {
        Duration least = Duration.ofMillis(200);
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, least);
        Server server = serve("a");
        members(server);
        PeerSet set = open(options());
        long startedNs = System.nanoTime();
        long before = MemoryRegistry.questions(service);
        for (int change = 0; System.nanoTime() - startedNs < least.toNanos() * 4; change++) {
            MemoryRegistry.set(service, List.of(new Member("a", server.member().address(), change % 2)));
            LockSupport.parkNanos(100_000);
        }
        MemoryRegistry.set(service, List.of(Member.of("last", server.member().address())));
        awaitNews("changed [last]");
        long asked = MemoryRegistry.questions(service) - before;
        long most = (System.nanoTime() - startedNs) / least.toNanos() + 2;
        assertTrue(asked <= most, "asked=" + asked + ", at most " + most);
        assertEquals("last", set.members().getFirst().name());
    }

    @Test
    @Semantics("O-146")
    void shouldConnectAgainToWhereTheMembersOfANameAre() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        Server old = serve("old");
        members(old);
        Peer peer = get(clientNode().connect(name, PathPolicy.AUTO, ReconnectPolicy.always(SOON, SOON)));
        assertEquals("old", peer.name());
        BlockingQueue<String> again = new LinkedBlockingQueue<>();
        peer.onReconnect(() -> again.add(peer.name()));
        Server young = serve("young");
        members(young);
        old.node().close();
        assertEquals("young", take(again, "the other member"));
        get(peer.send(new byte[3], 1));
        assertEquals(3, get(young.node().receive(1)).length());
        peer.close();
        awaitNoResolver();
    }

    /** Publishes topic t on a node, which becomes the only member of the service. */
    private NodeTopic publish(Node node, String memberName) {
        NodePublisher publisher = get(NodePublisher.listen(node, loopback()));
        NodeTopic topic = get(publisher.topic("t"));
        MemoryRegistry.set(service, List.of(Member.of(memberName, publisher.address())));
        return topic;
    }

    private static void publishUntilHeard(NodeTopic topic, long length, BlockingQueue<Long> lengths) {
        for (int i = 0; i < 6000; i++) {
            get(topic.publish(new byte[(int) length]));
            try {
                Long heard = lengths.poll(10, TimeUnit.MILLISECONDS);
                if (heard != null && heard == length) {
                    return;
                }
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }
        throw new AssertionError("no message was heard: length=" + length);
    }

    @Test
    @Semantics("O-142")
    void shouldUseOtherPrioritiesOnlyWithoutTheBest() {
        Server best = serve("best", loopback(), 10);
        Server spare = serve("spare", loopback(), 20);
        members(spare, best);
        PeerSet set = open(options());
        awaitNews("connected spare", "connected best");
        for (int i = 0; i < 4; i++) {
            get(set.send(new byte[1], 1));
        }
        assertEquals(Map.of("best", 4), receive(4, 1, best, spare));
        best.node().close();
        awaitNews("lost best");
        get(set.send(new byte[1], 2));
        get(spare.node().receive(2));
    }
}
