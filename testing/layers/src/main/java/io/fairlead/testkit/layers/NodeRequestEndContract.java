package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.Message;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.testkit.contract.Semantics;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests that end without a reply: deadlines, cancels, handlers that fail. */
public class NodeRequestEndContract extends RequestCases {
    /** Creates the suite. */
    protected NodeRequestEndContract() {}

    @Test
    @Semantics("Q-09")
    void shouldKeepTheDeadlineOfALongRequestToAPeerThatStandsStill() {
        configureFewCredits();
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(new byte[1]));
        CountDownLatch reusable = new CountDownLatch(1);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment message = arena.allocate(8 << 20);
            try (HeldThread _ = new HeldThread(serverNode())) {
                refusalOf(
                        RequestStatus.DEADLINE_EXCEEDED,
                        peers.client().request(message, TAG, Duration.ofMillis(100), reusable::countDown));
                refusalOf(
                        RequestStatus.DEADLINE_EXCEEDED, peers.client().request(message, TAG, Duration.ofMillis(100)));
            }
            await(reusable, "the memory to be free");
        }
        get(peers.client().request(new byte[1], TAG, LONG)).close();
    }

    @Test
    @Semantics("Q-03")
    void shouldLetTheCallerCloseTheMemoryOfARequestThatItEnds() {
        configureFewCredits();
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(new byte[1]));
        try (HeldThread _ = new HeldThread(serverNode())) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment message = arena.allocate(1 << 20);
                CompletableFuture<Message> request = peers.client().request(message, TAG, LONG);
                until(
                        () -> RequestStatistics.of(clientNode().context()).value(RequestCounter.SENT) == 1,
                        "the request to be sent");
                assertTrue(request.cancel(false));
            }
        }
        get(peers.client().request(new byte[1], TAG, LONG)).close();
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-39")
    void shouldFailARequestThatItsHandlerClosesWithoutAnAnswer() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        Service service = serverNode().serve(TAG, request -> {
            try (request) {
                if (request.length() == 0) {
                    request.reply(bytes("answered"));
                }
            }
            asked.add(request);
        });
        assertMentions(
                "closed the request without an answer",
                refusalOf(RequestStatus.FAILED, peers.client().request(new byte[100_000], TAG, LONG)));
        ServiceRequest closed = take(asked, "the request");
        assertThrows(IllegalStateException.class, closed::segment);
        assertThrows(IllegalStateException.class, closed::bytes);
        assertEquals(100_000, closed.length());
        assertMentions("closed", assertThrows(IllegalStateException.class, () -> closed.reply(new byte[0])));
        closed.close();
        // What is closed behind its answer stays answered.
        assertEquals("answered", textOf(peers.client().request(new byte[0], TAG, LONG)));
        take(asked, "the second request");
        until(() -> service.running() == 0, "the places of both");
        assertNothingLeft();
    }

    @Test
    @Semantics("O-14")
    void shouldReadNothingOfACancelledRequestThatIsClosed() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, asked::add);
        CompletableFuture<Message> request = peers.client().request(new byte[100_000], TAG, LONG);
        ServiceRequest served = take(asked, "the request");
        assertTrue(request.cancel(true));
        until(served::isCancelled, "the cancel");
        assertEquals(100_000, served.segment().byteSize());
        served.close();
        served.close();
        assertThrows(IllegalStateException.class, served::segment);
        assertTrue(served.isCancelled());
        CountDownLatch atOnce = new CountDownLatch(1);
        served.onCancel(atOnce::countDown);
        await(atOnce, "what is set after the end");
        assertThrows(IllegalStateException.class, () -> served.reply(new byte[0]));
        assertNothingLeft();
        assertEquals(0, RequestStatistics.of(serverNode().context()).value(RequestCounter.ANSWERS_DROPPED));
    }

    @Test
    @Semantics("Q-06")
    void shouldTellTheCallerWhatAHandlerThrows() {
        Peers peers = connectNodes();
        ServiceHandler throwing = request -> {
            throw new IOException("disk\nis full");
        };
        serverNode().serve(TAG, throwing);
        serverNode().serve(TAG + 1, request -> {
            throw new RequestException(RequestStatus.PERMISSION_DENIED, "not you");
        });
        serverNode().serve(TAG + 3, throwing, ServiceOptions.DEFAULT.withMessagesToCallers());
        serverNode().serve(TAG + 2, request -> request.fail(RequestStatus.INVALID_ARGUMENT, "ä".repeat(2000)));
        RequestException thrown = refusalOf(RequestStatus.FAILED, peers.client().request(new byte[1], TAG, LONG));
        assertEquals("the handler threw IOException", thrown.text());
        assertFalse(thrown.isSafeToRetry());
        assertMentions("status=FAILED, tag=7, peer=server", thrown);
        RequestException told = refusalOf(RequestStatus.FAILED, peers.client().request(new byte[1], TAG + 3, LONG));
        assertEquals("the handler threw IOException: disk is full", told.text());
        RequestException denied =
                refusalOf(RequestStatus.PERMISSION_DENIED, peers.client().request(new byte[1], TAG + 1, LONG));
        assertEquals("not you", denied.text());
        RequestException cut =
                refusalOf(RequestStatus.INVALID_ARGUMENT, peers.client().request(new byte[1], TAG + 2, LONG));
        assertEquals("ä".repeat(512), cut.text());
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-07")
    void shouldRefuseRequestsThatNobodyServes() {
        Peers peers = connectNodes();
        RequestException missing =
                refusalOf(RequestStatus.UNIMPLEMENTED, peers.client().request(new byte[1], TAG, LONG));
        assertTrue(missing.isSafeToRetry());
        Service service = serverNode().serve(TAG, request -> request.reply(new byte[2]));
        assertEquals(2, get(peers.client().request(new byte[1], TAG, LONG)).length());
        assertThrows(IllegalStateException.class, () -> serverNode().serve(TAG, request -> {}));
        service.close();
        service.close();
        refusalOf(RequestStatus.UNIMPLEMENTED, peers.client().request(new byte[1], TAG, LONG));
        serverNode().serve(TAG, request -> request.reply(new byte[3]));
        assertEquals(3, get(peers.client().request(new byte[1], TAG, LONG)).length());
    }

    @Test
    @Semantics("Q-08")
    void shouldSendNothingPastTheDeadline() {
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(new byte[0]));
        for (Duration past : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            RequestException late =
                    refusalOf(RequestStatus.DEADLINE_EXCEEDED, peers.client().request(new byte[1], TAG, past));
            assertTrue(late.isSafeToRetry());
        }
        assertEquals(0, RequestStatistics.of(clientNode().context()).value(RequestCounter.SENT));
        assertThrows(
                IllegalArgumentException.class, () -> peers.client().request(new byte[1], TAG, Duration.ofDays(2)));
        assertThrows(IllegalArgumentException.class, () -> peers.client().request(new byte[1], -1, LONG));
    }

    @Test
    @Semantics("Q-09")
    void shouldEndRequestsAtTheirDeadlineOnBothSides() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        CountDownLatch seen = new CountDownLatch(1);
        serverNode().serve(TAG, request -> {
            request.onCancel(seen::countDown);
            asked.add(request);
        });
        CompletableFuture<Message> patient = peers.client().request(bytes("patient"), TAG, Duration.ofHours(1));
        ServiceRequest other = take(asked, "the patient request");
        assertTrue(other.timeLeft().compareTo(Duration.ofMinutes(50)) > 0);
        assertTrue(other.timeLeft().compareTo(Duration.ofHours(1)) <= 0);

        CompletableFuture<Message> request = peers.client().request(bytes("short"), TAG, Duration.ofMillis(100));
        ServiceRequest served = take(asked, "the request");
        assertFalse(refusalOf(RequestStatus.DEADLINE_EXCEEDED, request).isSafeToRetry());
        await(seen, "the handler to be told");
        assertTrue(served.isCancelled());
        assertEquals(Duration.ZERO, served.timeLeft());
        served.reply(bytes("too late"));
        until(
                () -> RequestStatistics.of(serverNode().context()).value(RequestCounter.ANSWERS_DROPPED) == 1,
                "the dropped answer");

        assertFalse(patient.isDone());
        other.reply(bytes("in time"));
        assertEquals("in time", textOf(patient));
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-10")
    void shouldTellTheHandlerThatItsCallerHasCancelled() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        BlockingQueue<ServiceRequest> cancelled = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, request -> {
            request.onCancel(() -> cancelled.add(request));
            asked.add(request);
        });
        CompletableFuture<Message> request = peers.client().request(bytes("a question"), TAG, LONG);
        ServiceRequest served = take(asked, "the request");
        assertFalse(served.isCancelled());
        assertTrue(request.cancel(true));
        assertFalse(request.cancel(true));
        assertEquals(served, take(cancelled, "the cancel"));
        assertTrue(served.isCancelled());
        assertEquals("a question", text(served));
        CountDownLatch atOnce = new CountDownLatch(1);
        served.onCancel(atOnce::countDown);
        await(atOnce, "what is set after the end");
        served.reply(bytes("dropped"));
        assertMentions(
                "answered already",
                assertThrows(IllegalStateException.class, () -> served.fail(RequestStatus.FAILED, "a second")));
        assertMentions(
                "answered already", assertThrows(IllegalStateException.class, () -> served.reply(bytes("a third"))));
        assertThrows(IllegalStateException.class, served::segment);
        assertTrue(served.isCancelled());
        assertNothingLeft();
        assertEquals(1, RequestStatistics.of(serverNode().context()).value(RequestCounter.ANSWERS_DROPPED));
        assertEquals(1, RequestStatistics.of(clientNode().context()).value(RequestCounter.LATE_REPLIES));

        // A time-out of the future's is one of the caller's, too.
        CompletableFuture<Message> timed =
                peers.client().request(bytes("2"), TAG, LONG).orTimeout(50, TimeUnit.MILLISECONDS);
        take(asked, "the second request");
        take(cancelled, "the second cancel");
        assertTrue(timed.isCompletedExceptionally());
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-10")
    void shouldSendNothingThatIsCancelledBefore() {
        configureFewCredits();
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(new byte[0]));
        for (int round = 0; round < repetitions(200); round++) {
            CompletableFuture<Message> request = peers.client().request(new byte[100], TAG, LONG);
            request.cancel(false);
        }
        assertEquals(0, get(peers.client().request(new byte[1], TAG, LONG)).length());
        assertNothingLeft();
    }
}
