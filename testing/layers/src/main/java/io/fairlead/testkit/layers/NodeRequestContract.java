package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.OperationKind;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests of nodes and their replies. */
public class NodeRequestContract extends RequestCases {
    private static final int IN_FLIGHT = 64;

    /** Creates the suite. */
    protected NodeRequestContract() {}

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
    @Semantics("Q-03")
    void shouldTellWhenTheMemoryOfALongRequestMayBeReused() {
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> request.reply(new byte[] {request.bytes()[(int) request.length() - 1]}));
        BlockingQueue<MemorySegment> reusable = new LinkedBlockingQueue<>();
        for (int i = 0; i < 10; i++) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(1 << 20);
            memory.fill((byte) i);
            CompletableFuture<Message> request = peers.client().request(memory, TAG, LONG, () -> {
                arena.close();
                reusable.add(memory);
            });
            assertEquals(i, get(request).bytes()[0]);
            assertFalse(take(reusable, "the memory of a request").scope().isAlive());
        }
        // What is copied is free when the call returns, and so is what is not sent.
        CompletableFuture<Message> copied = peers.client()
                .request(MemorySegment.ofArray(new byte[10]), TAG, LONG, () -> reusable.add(MemorySegment.NULL));
        assertEquals(1, reusable.size());
        CompletableFuture<Message> late =
                peers.client().request(buffer(1 << 20), TAG, Duration.ZERO, () -> reusable.add(MemorySegment.NULL));
        assertEquals(2, reusable.size());
        assertEquals(0, get(copied).bytes()[0]);
        assertTrue(late.isCompletedExceptionally());
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-01")
    void shouldBringEachRequestItsOwnReplyInBothDirections() {
        configure(NodeKeys.THREADS, 2);
        Peers peers = connectNodes();
        Service echo = serverNode().serve(TAG, request -> request.reply(reversed(request)));
        clientNode().serve(TAG, request -> request.reply(reversed(request)), ServiceOptions.DEFAULT.onProgressThread());
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        int rounds = repetitions(200);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < IN_FLIGHT; i++) {
                Peer peer = i % 2 == 0 ? peers.client() : peers.server();
                int caller = i;
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            for (int round = 0; round < rounds; round++) {
                                byte[] asked = bytes(caller + "/" + round);
                                Message reply = get(peer.request(asked, TAG, LONG));
                                assertArrayEquals(reversed(asked), reply.bytes());
                                assertEquals(TAG, reply.tag());
                                assertEquals(peer, reply.source());
                            }
                        },
                        threads));
            }
            callers.forEach(NodeCases::get);
        }
        assertEquals(
                IN_FLIGHT / 2L * rounds,
                RequestStatistics.of(clientNode().context()).value(RequestCounter.SUCCEEDED));
        assertEquals(
                IN_FLIGHT / 2L * rounds,
                RequestStatistics.of(clientNode().context()).value(RequestCounter.REPLIED));
        until(() -> echo.running() == 0, "the service to be idle");
        assertNothingLeft();
    }

    private static byte[] reversed(ServiceRequest request) {
        return reversed(request.bytes());
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    @Test
    @Semantics("Q-02")
    void shouldCarryRequestsAndRepliesOfAnyLength() {
        Peers peers = connectNodes();
        serverNode().serve(TAG, ServiceHandler.replying(ServiceRequest::segment));
        for (long length : new long[] {0, 1, 8, 63, 4096, 8192, 8193, 65_536, 65_537, 1 << 20, 16 << 20}) {
            for (MemorySegment message : List.of(pattern(length, length), onHeap(length))) {
                try (Message reply = get(peers.client().request(message, TAG, LONG))) {
                    assertEquals(length, reply.length());
                    Pattern.verify(reply.segment(), 0, length, length);
                }
            }
        }
        assertNothingLeft();
    }

    private MemorySegment onHeap(long length) {
        return MemorySegment.ofArray(pattern(length, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    @Semantics("Q-03")
    void shouldLetTheCallerReuseMemoryThatIsCopied() {
        Peers peers = connectNodes();
        CountDownLatch changed = new CountDownLatch(1);
        serverNode().serve(TAG, request -> {
            await(changed, "the caller to change its memory");
            byte[] reply = request.bytes();
            request.reply(reply);
            reply[0] = 0;
        });
        byte[] message = {5, 6, 7};
        CompletableFuture<Message> reply = peers.client().request(message, TAG, LONG);
        message[0] = 0;
        changed.countDown();
        assertArrayEquals(new byte[] {5, 6, 7}, get(reply).bytes());
    }

    @Test
    @Semantics("Q-03")
    void shouldTellWhenTheMemoryOfALongReplyMayBeReused() {
        Peers peers = connectNodes();
        BlockingQueue<MemorySegment> reusable = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, request -> {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(1 << 20);
            memory.fill((byte) 9);
            request.reply(memory, () -> {
                arena.close();
                reusable.add(memory);
            });
        });
        for (int i = 0; i < 10; i++) {
            try (Message reply = get(peers.client().request(new byte[1], TAG, LONG))) {
                assertEquals(9, reply.segment().get(ValueLayout.JAVA_BYTE, (1 << 20) - 1));
            }
            assertFalse(take(reusable, "the memory of a reply").scope().isAlive());
        }
    }

    @Test
    @Semantics("Q-04")
    void shouldLetAHandlerAnswerLaterFromAnyThread() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, asked::add);
        CompletableFuture<Message> first = peers.client().request(bytes("first"), TAG, LONG);
        ServiceRequest one = take(asked, "the first request");
        CompletableFuture<Message> second = peers.client().request(bytes("second"), TAG, LONG);
        ServiceRequest two = take(asked, "the second request");
        two.reply(bytes("2 " + text(two)));
        assertEquals("2 second", textOf(second));
        assertFalse(first.isDone());
        one.reply(bytes("1 " + text(one)));
        assertEquals("1 first", textOf(first));
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-05")
    void shouldTakeOneAnswerAlone() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, request -> {
            request.reply(bytes("once"));
            asked.add(request);
            throw new IllegalStateException("behind the answer");
        });
        assertEquals("once", textOf(peers.client().request(bytes("?"), TAG, LONG)));
        ServiceRequest answered = take(asked, "the request");
        assertMentions(
                "answered already", assertThrows(IllegalStateException.class, () -> answered.reply(new byte[0])));
        assertMentions(
                "answered already",
                assertThrows(IllegalStateException.class, () -> answered.fail(RequestStatus.FAILED, "no")));
        assertThrows(IllegalStateException.class, answered::segment);
        assertFalse(answered.isCancelled());
        assertEquals("once", textOf(peers.client().request(bytes("?"), TAG, LONG)));
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
        serverNode().serve(TAG, request -> {
            throw new IOException("disk\nis full");
        });
        serverNode().serve(TAG + 1, request -> {
            throw new RequestException(RequestStatus.PERMISSION_DENIED, "not you");
        });
        serverNode().serve(TAG + 2, request -> request.fail(RequestStatus.INVALID_ARGUMENT, "ä".repeat(2000)));
        RequestException thrown = refusalOf(RequestStatus.FAILED, peers.client().request(new byte[1], TAG, LONG));
        assertEquals("the handler threw IOException: disk is full", thrown.text());
        assertFalse(thrown.isSafeToRetry());
        assertMentions("status=FAILED, tag=7, peer=server", thrown);
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
                refusalOf(RequestStatus.NOT_FOUND, peers.client().request(new byte[1], TAG, LONG));
        assertTrue(missing.isSafeToRetry());
        Service service = serverNode().serve(TAG, request -> request.reply(new byte[2]));
        assertEquals(2, get(peers.client().request(new byte[1], TAG, LONG)).length());
        assertThrows(IllegalStateException.class, () -> serverNode().serve(TAG, request -> {}));
        service.close();
        service.close();
        refusalOf(RequestStatus.NOT_FOUND, peers.client().request(new byte[1], TAG, LONG));
        serverNode().serve(TAG, request -> request.reply(new byte[3]));
        assertEquals(3, get(peers.client().request(new byte[1], TAG, LONG)).length());
    }

    @Test
    @Semantics("A-26")
    void shouldRefuseRequestsThatThePeerMayNotMake(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("acl.conf");
        Files.writeString(file, "rules = [ { identity = \"*\", connect = true, services = [" + TAG + "] } ]");
        configure(ConfigKeys.SECURITY_ACL, file.toString());
        serverNode().serve(TAG, request -> request.reply(new byte[2]));
        serverNode().serve(TAG + 1, request -> request.reply(new byte[3]));
        configure(ConfigKeys.SECURITY_ACL, "");
        Peers peers = connectNodes();

        RequestException refused =
                refusalOf(RequestStatus.PERMISSION_DENIED, peers.client().request(new byte[1], TAG + 1, LONG));

        assertTrue(
                refused.text().contains("acl.conf about this peer does not allow it under services"), refused.text());
        refusalOf(RequestStatus.PERMISSION_DENIED, peers.client().request(new byte[1], TAG + 2, LONG));
        assertEquals(2, get(peers.client().request(new byte[1], TAG, LONG)).length());
        assertNothingLeft();
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

    @Test
    @Semantics("Q-11")
    void shouldBoundWhatAServiceRunsAndLetsWait() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> asked = new LinkedBlockingQueue<>();
        Service service = serverNode()
                .serve(TAG, asked::add, ServiceOptions.DEFAULT.limits(2, 3).onProgressThread());
        List<CompletableFuture<Message>> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.add(peers.client().request(bytes("" + i), TAG, LONG));
        }
        until(() -> service.running() == 2 && service.waiting() == 3, "the service to be full");
        RequestException refused =
                refusalOf(RequestStatus.RESOURCE_EXHAUSTED, peers.client().request(bytes("6"), TAG, LONG));
        assertTrue(refused.isSafeToRetry());
        assertMentions("running=2, waiting=3", refused);
        // A cancelled waiting request frees its slot.
        assertTrue(requests.remove(4).cancel(false));
        until(() -> service.waiting() == 2, "the place of the cancelled one");
        for (int i = 0; i < 4; i++) {
            assertTrue(service.running() <= 2);
            ServiceRequest next = take(asked, "a request");
            assertEquals("" + i, text(next));
            next.reply(next.segment());
        }
        for (int i = 0; i < 4; i++) {
            assertEquals("" + i, textOf(requests.get(i)));
        }
        until(() -> service.running() == 0 && service.waiting() == 0, "the service to be idle");
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-12")
    void shouldRunHandlersWhereTheServiceSays() {
        Peers peers = connectNodes();
        BlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
        ServiceHandler handler = request -> {
            ran.add(Thread.currentThread());
            request.reply(new byte[0]);
        };
        serverNode().serve(TAG, handler);
        serverNode().serve(TAG + 1, handler, ServiceOptions.DEFAULT.onProgressThread());
        serverNode().serve(TAG + 2, handler, ServiceOptions.DEFAULT.on(task -> {
            throw new RejectedExecutionException("shut down");
        }));
        get(peers.client().request(new byte[0], TAG, LONG));
        assertTrue(take(ran, "a handler").isVirtual());
        get(peers.client().request(new byte[0], TAG + 1, LONG));
        assertTrue(take(ran, "a handler").getName().startsWith("fairlead-server"));
        RequestException rejected =
                refusalOf(RequestStatus.RESOURCE_EXHAUSTED, peers.client().request(new byte[0], TAG + 2, LONG));
        assertTrue(rejected.isSafeToRetry());
        try (ExecutorService pool = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name("mine").factory())) {
            serverNode().serve(TAG + 3, handler, ServiceOptions.DEFAULT.on(pool));
            get(peers.client().request(new byte[0], TAG + 3, LONG));
            assertEquals("mine", take(ran, "a handler").getName());
        }
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-13")
    void shouldCarryTheContextOfTheCallersTracing() {
        Peers peers = connectNodes();
        MessageContext context = MessageContext.of(Map.of("trace", "1"));
        BlockingQueue<String> ended = new LinkedBlockingQueue<>();
        clientNode().observe((operation, peer, length) -> new NodeObserver.Running() {
            @Override
            public void ended(Optional<Throwable> failure) {
                ended.add(operation + " " + length + " " + failure.isPresent());
            }

            @Override
            public MessageContext context() {
                return operation == OperationKind.SEND ? context : MessageContext.EMPTY;
            }
        });
        serverNode().serve(TAG, request -> {
            assertEquals(context, request.context());
            request.reply(request.segment());
        });
        for (long length : new long[] {0, 100, 100_000}) {
            try (Message reply = get(peers.client().request(pattern(length, 3), TAG, LONG))) {
                Pattern.verify(reply.segment(), 0, length, 3);
            }
            assertEquals("SEND " + length + " false", take(ended, "the end of the observation"));
        }
        clientNode().observe(NodeObserver.NONE);
        assertMentions(
                "AssertionFailedError",
                refusalOf(RequestStatus.FAILED, peers.client().request(new byte[1], TAG, LONG)));
    }

    @Test
    @Semantics("Q-14")
    void shouldNotMixRequestsWithMessages() {
        Peers peers = connectNodes();
        CompletableFuture<Message> any = serverNode().receive(0, 0, 1 << 20);
        CompletableFuture<Message> tagged = peers.server().receive(TAG);
        serverNode().serve(TAG, request -> request.reply(bytes("reply")));
        assertEquals("reply", textOf(peers.client().request(bytes("request"), TAG, LONG)));
        assertFalse(any.isDone());
        get(peers.client().send(bytes("message"), TAG));
        get(peers.client().send(bytes("other"), TAG));
        assertEquals("message", textOf(any));
        assertEquals("other", textOf(tagged));
    }
}
