package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSelection;
import io.fairlead.node.PeerSet;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import io.fairlead.servicetest.MemoryRegistry;
import io.fairlead.testkit.contract.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Members of a name that come and go: what a set and a peer do about them. */
public class NodeMembersContract extends NodePeersCases {
    /** Creates the suite. */
    protected NodeMembersContract() {}

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

    @Test
    @Semantics("O-149")
    void shouldShareOperationsByTheWeightsOfMembers() {
        Server heavy = serve("heavy");
        Server light = serve("light");
        Server last = serve("last");
        MemoryRegistry.set(service, List.of(weighted(last, 0), weighted(light, 1), weighted(heavy, 3)));
        PeerSet set = open(options());
        awaitNews("connected heavy", "connected light", "connected last");
        assertShares(Map.of("heavy", 300, "light", 100, "last", 0), picks(set, 400));
        // Equal ones take turns, and so do those that have no weight at all.
        MemoryRegistry.set(service, List.of(weighted(last, 0), weighted(light, 0)));
        awaitNews("changed [last, light]");
        assertEquals(Map.of("light", 200, "last", 200), picks(set, 400));
        set.close();

        MemoryRegistry.set(service, List.of(weighted(last, 0), weighted(light, 1), weighted(heavy, 3)));
        PeerSet least = open(options().withSelection(PeerSelection.LEAST_IN_FLIGHT));
        awaitNews("connected heavy", "connected light", "connected last");
        List<CompletableFuture<Void>> inFlight = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            inFlight.add(least.sendSynchronous(pattern(1, i), 3));
        }
        assertEquals(Map.of("heavy", 6, "light", 2), receive(8, 3, heavy, light, last));
        inFlight.forEach(NodeCases::get);
    }

    private static Member weighted(Server server, int weight) {
        return new Member(server.member().name(), server.member().address(), 0, weight);
    }

    private static Map<String, Integer> picks(PeerSet set, int count) {
        Map<String, Integer> picks = new HashMap<>();
        for (int i = 0; i < count; i++) {
            picks.merge(set.pick().orElseThrow().name(), 1, Integer::sum);
        }
        return picks;
    }

    private static void assertShares(Map<String, Integer> expected, Map<String, Integer> actual) {
        expected.forEach((member, count) -> assertEquals(count, actual.getOrDefault(member, 0), 10, actual::toString));
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
