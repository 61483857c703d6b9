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
import io.fairlead.node.ServiceStatistics;
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
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests and replies: lengths, memory, answers, threads, permissions. */
public class NodeRequestContract extends RequestCases {
    private static final int IN_FLIGHT = 64;

    /** Creates the suite. */
    protected NodeRequestContract() {}

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
    @Semantics("Q-51")
    void shouldCountAServiceByTheNameThatItsCallerKnows() {
        Peers peers = connectNodes();
        BlockingQueue<String> observed = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, request -> request.reply(request.segment()));
        serverNode()
                .serve(
                        TAG + 1,
                        request -> request.reply(request.segment()),
                        ServiceOptions.DEFAULT.named("at/service"));
        get(peers.client().request(new byte[1], TAG, LONG));
        clientNode().nameService(TAG, "too/late");
        clientNode().nameService(TAG + 1, "at/caller");
        clientNode().observe(new NodeObserver() {
            @Override
            public Running started(OperationKind operation, Optional<Peer> peer, long length) {
                return _ -> {};
            }

            @Override
            public Running requested(String service, Peer peer, long length) {
                observed.add(service);
                return _ -> {};
            }
        });
        get(peers.client().request(new byte[1], TAG, LONG));
        get(peers.client().request(new byte[1], TAG + 1, LONG));
        assertEquals(List.of(Long.toString(TAG), "at/caller"), List.copyOf(observed));
        assertEquals(
                Map.of(Long.toString(TAG), 2L, "at/caller", 1L),
                RequestStatistics.of(clientNode().context()).services().stream()
                        .filter(counted -> counted.side() == ServiceStatistics.Side.CALLER)
                        .collect(Collectors.toMap(
                                ServiceStatistics::service, counted -> counted.count(RequestStatus.OK))));
        assertThrows(IllegalArgumentException.class, () -> clientNode().nameService(TAG, "two words"));
        assertThrows(IllegalArgumentException.class, () -> clientNode().nameService(-1, "name"));
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
