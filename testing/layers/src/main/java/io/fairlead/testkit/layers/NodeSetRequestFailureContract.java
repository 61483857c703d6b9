package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.testkit.contract.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests to sets of peers whose members refuse, fail or are lost, and that end with their set. */
public class NodeSetRequestFailureContract extends SetRequestCases {
    /** Creates the suite. */
    protected NodeSetRequestFailureContract() {}

    @Test
    @Semantics("Q-29")
    void shouldAskAnotherMemberForWhatHasNotLeftAndNothingElse() {
        configureFewCredits();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        ServiceHandler blocking = request -> {
            asked.countDown();
            await(over, "the case to end");
        };
        // It gives no credits back, so that most of what it is asked stays on this side.
        Server lost = serving("lost", 0, blocking, ServiceOptions.DEFAULT.onProgressThread());
        Server kept = serving("kept", 1, request -> request.reply(bytes("kept")), ServiceOptions.DEFAULT);
        PeerSet set = open(lost, kept);
        Peer connected = peerOf(set, lost);
        AtomicInteger ends = new AtomicInteger();
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            CompletableFuture<Message> request = set.request(new byte[100], TAG, LONG);
            CompletableFuture<Message> _ = request.whenComplete((_, _) -> ends.incrementAndGet());
            requests.add(request);
        }
        await(asked, "a request");
        members(kept);
        connected.abort();
        int succeeded = 0;
        int failed = 0;
        for (CompletableFuture<Message> request : requests) {
            if (get(request.handle((_, thrown) -> thrown == null))) {
                assertEquals("kept", textOf(request));
                succeeded++;
            } else {
                RequestException named = refusalOf(RequestStatus.UNAVAILABLE, request);
                assertFalse(named.isSafeToRetry());
                assertMentions("member=lost at", named);
                failed++;
            }
        }
        assertTrue(succeeded > 0 && failed > 0, "succeeded=" + succeeded + ", failed=" + failed);
        assertEquals(
                requests.size(),
                RequestStatistics.of(clientNode().context()).value(RequestCounter.SENT),
                "each is sent once");
        assertEquals(succeeded, kept.count(RequestCounter.RECEIVED));
        until(() -> ends.get() == requests.size(), "each future to have ended once");
        over.countDown();
        assertNothingLeft(lost, kept);
    }

    @Test
    @Semantics("Q-29")
    void shouldCarryOutEachRequestOnceAtMostWhileMembersAreLost() {
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        ServiceHandler counting = request -> {
            runs.computeIfAbsent(text(request), _ -> new AtomicInteger()).incrementAndGet();
            request.reply(request.segment());
        };
        List<Server> servers = List.of(
                serving("a", 0, counting, ServiceOptions.DEFAULT),
                serving("b", 0, counting, ServiceOptions.DEFAULT),
                serving("c", 0, counting, ServiceOptions.DEFAULT.onProgressThread()));
        PeerSet set = open(servers.toArray(Server[]::new));
        AtomicBoolean stopping = new AtomicBoolean();
        AtomicInteger succeeded = new AtomicInteger();
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                int caller = i;
                callers.add(CompletableFuture.runAsync(() -> ask(set, caller, runs, succeeded, stopping), threads));
            }
            for (int i = 0; i < repetitions(15); i++) {
                Server victim = servers.get(i % servers.size());
                int before = succeeded.get();
                take(victim.accepted(), "a connection").abort();
                awaitNews(
                        "lost " + victim.member().name(),
                        "connected " + victim.member().name());
                until(() -> succeeded.get() > before, "replies");
            }
            stopping.set(true);
            callers.forEach(NodeCases::get);
        }
        assertEquals(
                1, runs.values().stream().mapToInt(AtomicInteger::get).max().orElseThrow());
        assertNothingLeft(servers.toArray(Server[]::new));
    }

    private static void ask(
            PeerSet set, int caller, Map<String, AtomicInteger> runs, AtomicInteger succeeded, AtomicBoolean stopping) {
        for (int i = 0; !stopping.get(); i++) {
            String asked = caller + "/" + i;
            CompletableFuture<Message> request = set.request(bytes(asked), TAG, LONG);
            if (get(request.handle((_, thrown) -> thrown == null))) {
                assertEquals(asked, textOf(request));
                assertEquals(1, runs.getOrDefault(asked, new AtomicInteger()).get());
                succeeded.incrementAndGet();
            } else {
                // What no handler can have seen has gone to another member, so that no failure is safe.
                assertFalse(refusalOf(RequestStatus.UNAVAILABLE, request).isSafeToRetry());
            }
        }
    }

    @Test
    @Semantics("Q-29")
    void shouldAskAnotherMemberWhileOneHasAllTheRequestsItMayHave() {
        configure(NodeKeys.REQUESTS_MAX, 1);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        Server full = holding("full");
        Server free =
                serving("free", 0, request -> request.reply(bytes("free")), ServiceOptions.DEFAULT.onProgressThread());
        PeerSet set = open(full, free);
        CompletableFuture<Message> first = peerOf(set, full).request(new byte[1], TAG, LONG);
        ServiceRequest held = take(full.held(), "a request");
        for (int i = 0; i < 20; i++) {
            // A caller that waited for the member without capacity would wait for ever.
            assertEquals("free", textOf(set.request(new byte[1], TAG, LONG)));
        }
        held.reply(bytes("full"));
        assertEquals("full", textOf(first));
        assertNothingLeft(full, free);
    }

    @Test
    @Semantics("Q-29")
    void shouldWaitUntilAMemberHasRoom() {
        configure(NodeKeys.REQUESTS_MAX, 1);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        Server server = holding("a");
        PeerSet set = open(server);
        CompletableFuture<Message> first = set.request(bytes("1"), TAG, LONG);
        ServiceRequest held = take(server.held(), "a request");
        RequestException late =
                refusalOf(RequestStatus.DEADLINE_EXCEEDED, set.request(bytes("late"), TAG, Duration.ofMillis(20)));
        assertTrue(late.isSafeToRetry());
        assertMentions("give it more time", late);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<String> second =
                    CompletableFuture.supplyAsync(() -> textOf(set.request(bytes("2"), TAG, LONG)), threads);
            held.reply(bytes("first"));
            assertEquals("first", textOf(first));
            take(server.held(), "the other request").reply(bytes("second"));
            assertEquals("second", get(second));
        }
        assertNothingLeft(server);
    }

    @Test
    @Semantics("Q-29")
    void shouldFailWithoutRoomAnywhere() {
        configure(NodeKeys.REQUESTS_MAX, 1);
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Server server = holding("a");
        PeerSet set = open(server);
        CompletableFuture<Message> first = set.request(new byte[1], TAG, LONG);
        ServiceRequest held = take(server.held(), "a request");
        RequestException full = refusalOf(RequestStatus.RESOURCE_EXHAUSTED, set.request(new byte[1], TAG, LONG));
        assertTrue(full.isSafeToRetry());
        assertMentions("members=1; none has room", full);
        held.reply(new byte[1]);
        get(first);
    }

    @Test
    @Semantics("Q-30")
    void shouldAskEachMemberOnceWhoseServiceHasNoRoom() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        ServiceOptions one = ServiceOptions.DEFAULT.limits(1, 0);
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        Server full = serving("full", 0, held::add, one, held);
        BlockingQueue<ServiceRequest> others = new LinkedBlockingQueue<>();
        Server other = serving("other", 0, others::add, one, others);
        PeerSet set = open(full, other);
        CompletableFuture<Message> first = peerOf(set, full).request(new byte[1], TAG, LONG);
        ServiceRequest blocking = take(held, "a request");
        CompletableFuture<Message> second = set.request(new byte[1], TAG, LONG);
        ServiceRequest taken = take(others, "a request that one member has refused, or not been asked");
        long refused = full.count(RequestCounter.REFUSED);
        RequestException nobody = refusalOf(RequestStatus.RESOURCE_EXHAUSTED, set.request(new byte[1], TAG, LONG));
        assertTrue(nobody.isSafeToRetry());
        assertMentions("member=", nobody);
        assertEquals(refused + 1, full.count(RequestCounter.REFUSED));
        assertEquals(1, other.count(RequestCounter.REFUSED));
        blocking.reply(new byte[0]);
        taken.reply(new byte[0]);
        get(first);
        get(second);
        assertNothingLeft(full, other);
    }

    @Test
    @Semantics("Q-30")
    void shouldPassOnWhatAMemberAnswers() {
        AtomicInteger runs = new AtomicInteger();
        ServiceHandler throwing = request -> {
            runs.incrementAndGet();
            switch (text(request)) {
                case "unavailable" -> request.fail(RequestStatus.UNAVAILABLE, "asked another");
                case "exhausted" -> throw new RequestException(RequestStatus.RESOURCE_EXHAUSTED, "no disk");
                case "before" -> throw RequestException.beforeHandler(RequestStatus.UNAVAILABLE, "not before");
                default -> throw new IllegalStateException("broken");
            }
        };
        PeerSet set = open(
                serving("a", 0, throwing, ServiceOptions.DEFAULT), serving("b", 0, throwing, ServiceOptions.DEFAULT));
        Map<String, RequestStatus> expected = Map.of(
                "unavailable", RequestStatus.UNAVAILABLE,
                "exhausted", RequestStatus.RESOURCE_EXHAUSTED,
                "before", RequestStatus.UNAVAILABLE,
                "broken", RequestStatus.FAILED);
        expected.forEach((asked, status) -> {
            runs.set(0);
            RequestException refusal = refusalOf(status, set.request(bytes(asked), TAG, LONG));
            assertFalse(refusal.isSafeToRetry());
            assertMentions("service=" + name + ", member=", refusal);
            assertEquals(1, runs.get(), asked);
        });
        RequestException missing = refusalOf(RequestStatus.UNIMPLEMENTED, set.request(new byte[1], TAG + 1, LONG));
        assertTrue(missing.isSafeToRetry());
        assertMentions("tag " + (TAG + 1), missing);
    }

    @Test
    @Semantics("Q-34")
    void shouldEndRequestsWithTheirSet() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        PeerSet empty = open();
        CompletableFuture<Message> waiting = empty.request(new byte[1], TAG, LONG);
        empty.close();
        assertTrue(refusalOf(RequestStatus.UNAVAILABLE, waiting).isSafeToRetry());
        RequestException closed = refusalOf(RequestStatus.UNAVAILABLE, empty.request(new byte[1], TAG, LONG));
        assertTrue(closed.isSafeToRetry());
        assertMentions("set of peers is closed", closed);
        Server server = holding("a");
        PeerSet set = open(server);
        CompletableFuture<Message> running = set.request(new byte[1], TAG, LONG);
        ServiceRequest held = take(server.held(), "a request");
        set.close();
        assertFalse(refusalOf(RequestStatus.UNAVAILABLE, running).isSafeToRetry());
        until(held::isCancelled, "the handler to see the end");
        held.reply(new byte[1]);
        assertNothingLeft(server);
    }

    @Test
    @Semantics("Q-34")
    void shouldEndRequestsWithTheirNode() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        configure(NodeKeys.REQUESTS_MAX, 1);
        Server server = holding("a");
        PeerSet set = open(server);
        CompletableFuture<Message> running = set.request(new byte[1], TAG, LONG);
        take(server.held(), "a request");
        PeerSet empty = get(clientNode().peers(name));
        members();
        until(() -> empty.members().isEmpty() && empty.peers().isEmpty(), "the member to leave");
        CompletableFuture<Message> waiting = empty.request(new byte[1], TAG, LONG);
        clientNode().close();
        assertFalse(refusalOf(RequestStatus.UNAVAILABLE, running).isSafeToRetry());
        assertTrue(refusalOf(RequestStatus.UNAVAILABLE, waiting).isSafeToRetry());
        assertTrue(refusalOf(RequestStatus.UNAVAILABLE, set.request(new byte[1], TAG, LONG))
                .isSafeToRetry());
    }

    /** So that none stays behind, whatever ends it and its node at the same time. */
    @Test
    @Semantics({"Q-33", "Q-34"})
    void shouldEndEachRequestOnceWhateverEndsIt() {
        configure(NodeKeys.REQUESTS_MAX, 4);
        Server[] servers = {answering("a"), holding("b")};
        PeerSet set = open(servers);
        AtomicInteger ends = new AtomicInteger();
        AtomicBoolean stopping = new AtomicBoolean();
        List<CompletableFuture<Integer>> callers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 6; i++) {
                int caller = i;
                callers.add(CompletableFuture.supplyAsync(() -> withdrawSome(set, caller, ends, stopping), threads));
            }
            for (int i = 0; i < repetitions(6); i++) {
                Server victim = servers[i % 2];
                take(victim.accepted(), "a connection").abort();
                awaitNews(
                        "lost " + victim.member().name(),
                        "connected " + victim.member().name());
            }
            clientNode().close();
            stopping.set(true);
            int called = callers.stream().mapToInt(NodeCases::get).sum();
            until(() -> ends.get() == called, "each future to have ended once");
        }
        assertEquals(0, RequestStatistics.of(clientNode().context()).value(RequestCounter.OUTSTANDING_NOW));
    }

    private static int withdrawSome(PeerSet set, int caller, AtomicInteger ends, AtomicBoolean stopping) {
        int called = 0;
        for (; !stopping.get(); called++) {
            Duration deadline = Duration.ofMillis(1 + called % 20);
            CompletableFuture<Message> request = set.request(new byte[10], TAG, deadline);
            CompletableFuture<Message> _ = request.whenComplete((_, _) -> ends.incrementAndGet());
            if ((caller + called) % 3 == 0) {
                request.cancel(false);
            } else if ((caller + called) % 3 == 1) {
                try {
                    Message _ = request.get(1, TimeUnit.MILLISECONDS);
                } catch (TimeoutException | ExecutionException ended) {
                    request.cancel(false);
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            }
        }
        return called;
    }
}
