package io.fairlead.testkit.layers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.Message;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.RetryPolicy;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.testkit.contract.Semantics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests to sets of peers that are sent again: which, how often, and to whom. */
public class NodeSetRetryContract extends SetRequestCases {
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final RequestOptions ONCE = RequestOptions.within(LONG);
    private static final RequestOptions IDEMPOTENT = ONCE.asIdempotent();

    /** Creates the suite. */
    protected NodeSetRetryContract() {}

    private static RetryPolicy.Builder policy() {
        return RetryPolicy.builder().pauses(SHORT, SHORT);
    }

    private PeerSet open(RetryPolicy policy, Server... servers) {
        return open(PeerSetOptions.defaults().withRetries(policy), servers);
    }

    /** A server with one slot, which a request of its own peer has. */
    private Server full(String name) {
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        return serving(name, 0, held::add, ServiceOptions.DEFAULT.limits(1, 0), held);
    }

    /** Fills a server of one slot until that is answered. */
    private static Held fill(PeerSet set, Server full) {
        CompletableFuture<Message> first = set.request(bytes("first"), TAG, ONCE);
        return new Held(first, take(full.held(), "the first request"));
    }

    /** A request that holds a slot. */
    private record Held(CompletableFuture<Message> caller, ServiceRequest request) {
        void answer() {
            request.reply(new byte[0]);
            get(caller);
        }
    }

    /** Pauses that outlast a case, and are shorter than the time of its requests. */
    private static RetryPolicy longPauses() {
        Duration pause = LONG.dividedBy(2);
        return RetryPolicy.builder().pauses(pause, pause).build();
    }

    /** A server whose handler throws. */
    private Server broken(AtomicInteger failed) {
        ServiceHandler handler = _ -> {
            failed.incrementAndGet();
            throw new IllegalStateException("broken");
        };
        return serving("broken", 0, handler, ServiceOptions.DEFAULT);
    }

    /** A request in a pause that outlasts the case. */
    private static CompletableFuture<Message> inPause(PeerSet set, Server full) {
        CompletableFuture<Message> _ = set.request(new byte[1], TAG, ONCE);
        until(() -> !full.held().isEmpty(), "a request at the member");
        CompletableFuture<Message> paused = set.request(new byte[1], TAG, ONCE);
        until(() -> full.count(RequestCounter.REFUSED) >= 1, "a refusal");
        // Its answer comes after the refusal.
        refusalOf(RequestStatus.RESOURCE_EXHAUSTED, peerOf(set, full).request(new byte[1], TAG, LONG));
        assertFalse(paused.isDone());
        return paused;
    }

    /** The server that holds the next request. */
    private static Server holder(Server... servers) {
        List<Server> all = List.of(servers);
        until(() -> all.stream().anyMatch(server -> !server.held().isEmpty()), "a request at a member");
        return all.stream()
                .filter(server -> !server.held().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Semantics("Q-47")
    void shouldSendAnIdempotentRequestToAnotherMemberWhenItsMemberIsLost() {
        Server a = holding("a");
        Server b = holding("b");
        PeerSet set = open(policy().build(), a, b);
        CompletableFuture<Message> repeated = set.request(bytes("query"), TAG, IDEMPOTENT);
        Server first = holder(a, b);
        first.held().clear();
        take(first.accepted(), "the set").abort();
        Server second = first.equals(a) ? b : a;
        ServiceRequest again = take(second.held(), "the request again");
        assertEquals("query", new String(again.bytes(), UTF_8));
        again.reply(bytes("answer"));
        assertEquals("answer", textOf(repeated));

        CompletableFuture<Message> once = set.request(bytes("order"), TAG, ONCE);
        Server holder = holder(a, b);
        take(holder.accepted(), "the set").abort();
        assertFalse(refusalOf(RequestStatus.UNAVAILABLE, once).isSafeToRetry());
    }

    @Test
    @Semantics("Q-47")
    void shouldSendAgainWhatNoHandlerHasSeen() {
        Server server = full("full");
        PeerSet set = open(
                RetryPolicy.builder()
                        .attempts(RetryPolicy.ATTEMPTS_MAX)
                        .pauses(Duration.ofMillis(20), Duration.ofSeconds(10))
                        .build(),
                server);
        Held first = fill(set, server);
        CompletableFuture<Message> second = set.request(bytes("second"), TAG, ONCE);
        until(() -> server.count(RequestCounter.REFUSED) >= 2, "a further attempt");
        first.answer();
        take(server.held(), "the second").reply(bytes("done"));
        assertEquals("done", textOf(second));
        assertNothingLeft(server);
    }

    @Test
    @Semantics("Q-47")
    void shouldFailAsItsLastAttemptHas() {
        Server server = full("full");
        PeerSet set = open(policy().attempts(3).build(), server);
        Held first = fill(set, server);
        RequestException refused =
                refusalOf(RequestStatus.RESOURCE_EXHAUSTED, set.request(new byte[1], TAG, IDEMPOTENT));
        assertTrue(refused.isSafeToRetry());
        assertEquals(3, server.count(RequestCounter.REFUSED));
        CompletableFuture<Message> cancelled = set.request(new byte[1], TAG, ONCE);
        cancelled.cancel(false);
        first.answer();
        assertNothingLeft(server);
    }

    @Test
    @Semantics("Q-47")
    void shouldNotRepeatWhatAHandlerHasAnswered() {
        Server server = holding("a");
        PeerSet set = open(policy().build(), server);
        for (RequestStatus status :
                List.of(RequestStatus.FAILED, RequestStatus.UNAVAILABLE, RequestStatus.RESOURCE_EXHAUSTED)) {
            CompletableFuture<Message> answered = set.request(new byte[1], TAG, IDEMPOTENT);
            take(server.held(), "the request").fail(status, "no");
            assertFalse(refusalOf(status, answered).isSafeToRetry());
            assertTrue(server.held().isEmpty());
        }
    }

    @Test
    @Semantics({"Q-20", "Q-47"})
    void shouldNotReportSafeWhatAnEarlierAttemptMayHaveDone() {
        Server lost = holding("lost");
        Server full = full("full");
        PeerSet set = open(policy().attempts(2).build(), lost, full);
        CompletableFuture<Message> first = peerOf(set, full).request(new byte[1], TAG, LONG);
        ServiceRequest held = take(full.held(), "the first");
        CompletableFuture<Message> repeated = set.request(new byte[1], TAG, IDEMPOTENT);
        ServiceRequest seen = take(lost.held(), "the first attempt");
        members(full);
        until(() -> set.members().size() == 1, "the other to be removed");
        take(lost.accepted(), "the set").abort();
        assertFalse(refusalOf(RequestStatus.RESOURCE_EXHAUSTED, repeated).isSafeToRetry());
        seen.close();
        held.reply(new byte[0]);
        get(first);
        assertNothingLeft(lost, full);
    }

    @Test
    @Semantics({"Q-34", "Q-47"})
    void shouldEndAPauseWhenTheNodeCloses() {
        Server server = full("full");
        PeerSet set = open(longPauses(), server);
        CompletableFuture<Message> paused = inPause(set, server);
        clientNode().close();
        assertTrue(refusalOf(RequestStatus.UNAVAILABLE, paused).isSafeToRetry());
    }

    @Test
    @Semantics({"Q-34", "Q-47"})
    void shouldEndAPauseWhenTheSetCloses() {
        Server server = full("full");
        PeerSet set = open(longPauses(), server);
        CompletableFuture<Message> paused = inPause(set, server);
        set.close();
        assertTrue(refusalOf(RequestStatus.UNAVAILABLE, paused).isSafeToRetry());
    }

    @Test
    @Semantics("Q-48")
    void shouldAskASecondMemberWhenTheFirstIsSlow() {
        Server a = holding("a");
        Server b = holding("b");
        PeerSet set = open(policy().hedgeAfter(Duration.ofMillis(20)).build(), a, b);
        CompletableFuture<Message> once = set.request(bytes("once"), TAG, ONCE);
        Server only = holder(a, b);
        ServiceRequest onlyRequest = take(only.held(), "the request that runs once");
        CompletableFuture<Message> hedged = set.request(bytes("hedged"), TAG, IDEMPOTENT);
        ServiceRequest atA = take(a.held(), "one attempt");
        ServiceRequest atB = take(b.held(), "the other attempt");
        assertTrue(a.held().isEmpty() && b.held().isEmpty());
        atB.reply(bytes("of b"));
        assertEquals("of b", textOf(hedged));
        until(atA::isCancelled, "the cancel of the other attempt");
        onlyRequest.reply(bytes("done"));
        assertEquals("done", textOf(once));
        atA.close();
        assertNothingLeft(a, b);
    }

    @Test
    @Semantics("Q-48")
    void shouldNotRepeatWhatOneOfTwoMembersHasAnswered() {
        Server a = holding("a");
        Server b = holding("b");
        PeerSet set =
                open(policy().attempts(3).hedgeAfter(Duration.ofMillis(20)).build(), a, b);
        CompletableFuture<Message> hedged = set.request(bytes("hedged"), TAG, IDEMPOTENT);
        ServiceRequest atA = take(a.held(), "one attempt");
        take(b.held(), "the other attempt").fail(RequestStatus.INVALID_ARGUMENT, "no");
        // Its caller has the answer before that of a later request.
        CompletableFuture<Message> later = peerOf(set, b).request(new byte[1], TAG, LONG);
        take(b.held(), "the later request").reply(new byte[0]);
        get(later);
        assertFalse(hedged.isDone(), "the other one may still have a reply");
        take(a.accepted(), "the set").abort();
        refusalOf(RequestStatus.INVALID_ARGUMENT, hedged);
        assertTrue(b.held().isEmpty());
        atA.close();
    }

    @Test
    @Semantics("Q-49")
    void shouldSpendNoMoreThanItsBudget() {
        Server server = full("full");
        PeerSet set = open(policy().attempts(2).build(), server);
        Held first = fill(set, server);
        for (int i = 0; i < 40; i++) {
            refusalOf(RequestStatus.RESOURCE_EXHAUSTED, set.request(new byte[1], TAG, ONCE));
        }
        // Ten in advance, and one for each ten requests.
        long further = server.count(RequestCounter.REFUSED) - 40;
        assertTrue(further >= 10 && further <= 14, () -> "further attempts: " + further);
        first.answer();
    }

    @Test
    @Semantics("Q-49")
    void shouldSendNothingAgainWithoutABudget() {
        Server server = full("full");
        PeerSet set = open(policy().budgetPercent(0).build(), server);
        Held first = fill(set, server);
        refusalOf(RequestStatus.RESOURCE_EXHAUSTED, set.request(new byte[1], TAG, ONCE));
        assertEquals(1, server.count(RequestCounter.REFUSED));
        first.answer();
    }

    @Test
    @Semantics("Q-50")
    void shouldEjectAMemberThatFailsInARow() {
        AtomicInteger failed = new AtomicInteger();
        Server broken = broken(failed);
        Server good = answering("good");
        PeerSet set = open(PeerSetOptions.defaults().withEjection(3, Duration.ofHours(1)), broken, good);
        while (failed.get() < 3) {
            boolean _ = get(set.request(new byte[1], TAG, ONCE).handle((_, _) -> true));
        }
        for (int i = 0; i < 20; i++) {
            assertEquals("good", textOf(set.request(new byte[1], TAG, ONCE)));
        }
        assertEquals(3, failed.get());

        // The last one stays.
        members(broken);
        until(() -> set.peers().size() == 1, "the other to be removed");
        refusalOf(RequestStatus.FAILED, set.request(new byte[1], TAG, ONCE));
    }

    @Test
    @Semantics("Q-50")
    void shouldNotAskAnEjectedMemberInsteadOfAFullOne() {
        AtomicInteger failed = new AtomicInteger();
        Server broken = broken(failed);
        Server full = full("full");
        PeerSetOptions options = PeerSetOptions.defaults()
                .withRetries(policy().attempts(3).build())
                .withEjection(1, Duration.ofHours(1));
        PeerSet set = open(options, broken, full);
        CompletableFuture<Message> one = set.request(new byte[1], TAG, ONCE);
        CompletableFuture<Message> other = set.request(new byte[1], TAG, ONCE);
        until(() -> one.isDone() || other.isDone(), "a failure at the member that is broken");
        ServiceRequest held = take(full.held(), "the request at the member that is full");
        refusalOf(RequestStatus.RESOURCE_EXHAUSTED, set.request(new byte[1], TAG, IDEMPOTENT));
        assertEquals(3, full.count(RequestCounter.REFUSED));
        assertEquals(1, failed.get());
        held.reply(new byte[0]);
        assertNothingLeft(broken, full);
    }

    @Test
    @Semantics("Q-50")
    void shouldNotEjectTheOnlyMember() {
        AtomicInteger failed = new AtomicInteger();
        Server broken = broken(failed);
        PeerSet set = open(PeerSetOptions.defaults().withEjection(1, Duration.ofHours(1)), broken);
        for (int i = 0; i < 5; i++) {
            refusalOf(RequestStatus.FAILED, set.request(new byte[1], TAG, ONCE));
        }
        assertEquals(5, failed.get());
    }

    @Test
    @Semantics({"Q-47", "Q-50"})
    void shouldRefusePoliciesOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.builder().attempts(0));
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.builder().attempts(17));
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.builder().budgetPercent(-1));
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.builder().budgetPercent(101));
        assertThrows(IllegalArgumentException.class, () -> RetryPolicy.builder().hedgeAfter(Duration.ZERO));
        assertThrows(
                IllegalArgumentException.class,
                () -> RetryPolicy.builder().hedgeAfter(Duration.ofDays(1).plusNanos(1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> PeerSetOptions.defaults().withEjection(-1, Duration.ofSeconds(1)));
        assertThrows(
                IllegalArgumentException.class, () -> PeerSetOptions.defaults().withEjection(1, Duration.ZERO));
        assertEquals(16, RetryPolicy.builder().attempts(16).build().attempts());
        assertEquals(100, RetryPolicy.builder().budgetPercent(100).build().budgetPercent());
    }
}
