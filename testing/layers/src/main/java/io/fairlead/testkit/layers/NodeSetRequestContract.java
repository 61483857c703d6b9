package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.PeerSelection;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Requests to sets of peers: who is asked, for how long, and what the caller may do meanwhile. */
public class NodeSetRequestContract extends SetRequestCases {
    /** Creates the suite. */
    protected NodeSetRequestContract() {}

    @Test
    @Semantics("Q-28")
    void shouldAskOneMemberAfterTheOther() {
        Server[] servers = {answering("a"), answering("b"), answering("c")};
        PeerSet set = open(servers);
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            try (Message reply = get(set.request(new byte[i], TAG, LONG))) {
                assertEquals(text(reply), reply.source().name());
                counts.merge(text(reply), 1, Integer::sum);
            }
        }
        assertEquals(Map.of("a", 10, "b", 10, "c", 10), counts);
        assertNothingLeft(servers);
    }

    @Test
    @Semantics("Q-28")
    void shouldAskTheMemberWithTheFewestInFlight() {
        Server busy = holding("busy");
        Server idle = answering("idle");
        PeerSet set = open(PeerSetOptions.defaults().withSelection(PeerSelection.LEAST_IN_FLIGHT), busy, idle);
        // One of them stays at the busy member, and counts until it is answered.
        List<CompletableFuture<Message>> first =
                List.of(set.request(new byte[1], TAG, LONG), set.request(new byte[1], TAG, LONG));
        ServiceRequest held = take(busy.held(), "a request");
        until(() -> first.stream().anyMatch(CompletableFuture::isDone), "the other reply");
        for (int i = 0; i < 10; i++) {
            assertEquals("idle", textOf(set.request(new byte[1], TAG, LONG)));
        }
        held.reply(bytes("busy"));
        first.forEach(NodeCases::get);
        assertNothingLeft(busy, idle);
    }

    @Test
    @Semantics({"Q-02", "Q-03"})
    void shouldHoldACopyOfWhatTheCallerMayChange() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        PeerSet set = open();
        MemorySegment inPlace = pattern(50_000, 4);
        byte[] bytes = pattern(100, 1).toArray(ValueLayout.JAVA_BYTE);
        byte[] longer = pattern(20_000, 2).toArray(ValueLayout.JAVA_BYTE);
        CompletableFuture<Message> ofBytes = set.request(bytes, TAG, LONG);
        CompletableFuture<Message> ofLonger = set.request(longer, TAG, LONG);
        CompletableFuture<Message> ofConfined;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocate(30_000).copyFrom(pattern(30_000, 3));
            ofConfined = set.request(confined, TAG, LONG);
        }
        CompletableFuture<Message> ofNative = set.request(inPlace, TAG, LONG);
        bytes[0]++;
        longer[0]++;
        members(serving("echo", 0, ServiceHandler.replying(ServiceRequest::segment), ServiceOptions.DEFAULT));
        Pattern.verify(get(ofBytes).segment(), 0, 100, 1);
        Pattern.verify(get(ofLonger).segment(), 0, 20_000, 2);
        Pattern.verify(get(ofConfined).segment(), 0, 30_000, 3);
        Pattern.verify(get(ofNative).segment(), 0, 50_000, 4);
    }

    @Test
    @Semantics("Q-31")
    void shouldWaitForAMember() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMillis(200));
        RequestException none = refusalOf(RequestStatus.UNAVAILABLE, open().request(new byte[5], TAG, LONG));
        assertTrue(none.isSafeToRetry());
        assertMentions("service=" + name + ", members=0", none);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        PeerSet patient = get(startNode("patient").peers(name));
        CompletableFuture<Message> early = patient.request(new byte[5], TAG, LONG);
        CompletableFuture<Message> late = patient.request(new byte[5], TAG, Duration.ofMillis(50));
        RequestException overdue = refusalOf(RequestStatus.DEADLINE_EXCEEDED, late);
        assertTrue(overdue.isSafeToRetry());
        assertMentions("members=0", overdue);
        assertMentions("start a member", overdue);
        assertFalse(early.isDone());
        members(answering("a"));
        assertEquals("a", textOf(early));
    }

    @Test
    @Semantics("Q-31")
    void shouldFailAtOnceWithoutAMember() {
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        RequestException none = refusalOf(RequestStatus.UNAVAILABLE, open().request(new byte[5], TAG, LONG));
        assertTrue(none.isSafeToRetry());
        assertEquals("start a member, and register it under this name", none.text());
    }

    @Test
    @Semantics("Q-31")
    void shouldBoundTheRequestsThatWait() {
        configure(NodeKeys.QUEUE_MAX, 2);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        PeerSet set = open();
        List<CompletableFuture<Message>> waiting =
                List.of(set.request(new byte[1], TAG, LONG), set.request(new byte[1], TAG, LONG));
        // Only a progress thread does not wait for a slot.
        BlockingQueue<CompletableFuture<Message>> called = new LinkedBlockingQueue<>();
        boolean queued = get(clientNode().workerThread().call(_ -> called.add(set.request(new byte[1], TAG, LONG))));
        assertTrue(queued);
        RequestException full = refusalOf(RequestStatus.RESOURCE_EXHAUSTED, take(called, "the call"));
        assertTrue(full.isSafeToRetry());
        assertMentions("waiting=2", full);
        members(answering("a"));
        waiting.forEach(request -> assertEquals("a", textOf(request)));
    }

    @Test
    @Semantics("O-66")
    void shouldCompleteOnTheExecutorWhatEndsWhileItWaits() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        members();
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Thread thread = get(CompletableFuture.supplyAsync(Thread::currentThread, executor));
            PeerSet set = get(startNode("executor", executor).peers(name));
            CompletableFuture<Thread> ofRequest =
                    set.request(new byte[1], TAG, LONG).handle((_, _) -> Thread.currentThread());
            CompletableFuture<Thread> ofSend = set.send(new byte[1], 1).handle((_, _) -> Thread.currentThread());
            set.close();
            assertEquals(thread, get(ofRequest));
            assertEquals(thread, get(ofSend));
        }
    }

    @Test
    @Semantics("Q-32")
    void shouldTellEachMemberWhatIsLeftOfTheDeadline() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        PeerSet set = open();
        long startNs = System.nanoTime();
        CompletableFuture<Message> request = set.request(new byte[1], TAG, LONG);
        CompletableFuture<Message> marker = set.request(new byte[1], TAG, Duration.ofMillis(100));
        refusalOf(RequestStatus.DEADLINE_EXCEEDED, marker);
        BlockingQueue<Duration> left = new LinkedBlockingQueue<>();
        long waitedNs = System.nanoTime() - startNs;
        members(serving(
                "a",
                0,
                served -> {
                    left.add(served.timeLeft());
                    served.reply(new byte[0]);
                },
                ServiceOptions.DEFAULT));
        get(request);
        Duration told = take(left, "the time left");
        assertTrue(told.compareTo(LONG.minusNanos(waitedNs)) <= 0, told::toString);
    }

    @Test
    @Semantics("Q-32")
    void shouldSendNothingPastTheDeadline() {
        Server server = answering("a");
        PeerSet set = open(server);
        for (Duration past : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertTrue(refusalOf(RequestStatus.DEADLINE_EXCEEDED, set.request(new byte[1], TAG, past))
                    .isSafeToRetry());
        }
        assertThrows(IllegalArgumentException.class, () -> set.request(new byte[1], TAG, Duration.ofHours(25)));
        assertThrows(IllegalArgumentException.class, () -> set.request(new byte[1], -1, LONG));
        assertEquals(0, RequestStatistics.of(clientNode().context()).value(RequestCounter.SENT));
        assertEquals("a", textOf(set.request(new byte[1], TAG, LONG)));
        assertEquals(1, server.count(RequestCounter.RECEIVED));
    }

    @Test
    @Semantics("Q-32")
    void shouldEndARunningRequestAtItsDeadline() {
        Server server = holding("a");
        PeerSet set = open(server);
        Duration deadline = Duration.ofMillis(50);
        RequestException late;
        ServiceRequest held;
        do {
            // Again if the host is so busy that no handler has seen it in time.
            deadline = deadline.multipliedBy(2);
            late = refusalOf(RequestStatus.DEADLINE_EXCEEDED, set.request(new byte[1], TAG, deadline));
            held = server.held().poll();
        } while (held == null || late.isSafeToRetry());
        assertMentions("member=a at", late);
        until(held::isCancelled, "the handler to see the end");
        held.reply(new byte[1]);
        assertNothingLeft(server);
    }

    @Test
    @Semantics("Q-33")
    void shouldFreeThePlaceOfARequestThatIsWithdrawn() {
        configure(NodeKeys.QUEUE_MAX, 1);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        PeerSet set = open();
        // Each waits for the slot of the one before.
        CompletableFuture<Message> cancelled = set.request(bytes("cancelled"), TAG, LONG);
        assertTrue(cancelled.cancel(false));
        assertTrue(cancelled.isCancelled());
        CompletableFuture<Message> late = set.request(bytes("late"), TAG, LONG).orTimeout(20, TimeUnit.MILLISECONDS);
        ExecutionException timedOut = assertThrows(ExecutionException.class, () -> late.get(1, TimeUnit.MINUTES));
        assertInstanceOf(TimeoutException.class, timedOut.getCause());
        CompletableFuture<Message> failed = set.request(bytes("failed"), TAG, LONG);
        assertTrue(failed.completeExceptionally(new IllegalStateException("for a test")));
        CompletableFuture<Message> kept = set.request(bytes("kept"), TAG, LONG);
        Server echo = serving("echo", 0, ServiceHandler.replying(ServiceRequest::segment), ServiceOptions.DEFAULT);
        members(echo);
        assertEquals("kept", textOf(kept));
        assertFalse(kept.cancel(false));
        assertEquals(1, echo.count(RequestCounter.RECEIVED));
        assertNothingLeft(echo);
    }

    @Test
    @Semantics("Q-33")
    void shouldCancelARunningRequest() {
        Server server = holding("a");
        PeerSet set = open(server);
        CompletableFuture<Message> cancelled = set.request(new byte[1], TAG, LONG);
        ServiceRequest first = take(server.held(), "a request");
        assertTrue(cancelled.cancel(false));
        CompletableFuture<Message> late = set.request(new byte[1], TAG, LONG);
        ServiceRequest second = take(server.held(), "another request");
        CompletableFuture<Message> _ = late.orTimeout(20, TimeUnit.MILLISECONDS);
        assertThrows(ExecutionException.class, () -> late.get(1, TimeUnit.MINUTES));
        for (ServiceRequest request : List.of(first, second)) {
            until(request::isCancelled, "the handler to see the end");
            request.reply(new byte[1]);
        }
        assertNothingLeft(server);
        CompletableFuture<Message> more = set.request(new byte[1], TAG, LONG);
        take(server.held(), "a request that is answered").reply(bytes("more"));
        assertEquals("more", textOf(more));
    }
}
