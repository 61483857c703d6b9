package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.statistics.OperationKind;
import io.fairlead.testkit.contract.LiveObjects;
import io.fairlead.testkit.contract.PeerProcess;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.internal.Thrown;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Closing nodes and peers, and what callbacks may do meanwhile. */
public class NodeCloseContract extends NodeCases {
    private static final int CONNECTIONS = 200;

    /** Creates the suite. */
    protected NodeCloseContract() {}

    @Test
    @Semantics("O-60")
    void shouldCompleteEverythingOnceWhenClosed() {
        configureFewCredits();
        configure(NodeKeys.THREADS, 2);
        Peers peers = connectNodes();
        List<CompletableFuture<?>> inFlight = new ArrayList<>();
        AtomicInteger completions = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            inFlight.add(peers.client().send(new byte[100], 7));
            inFlight.add(peers.client().sendSynchronous(pattern(100, i), 7));
            inFlight.add(peers.client().receive(1));
            inFlight.add(clientNode().receive(2));
            inFlight.add(clientNode().receiveInto(buffer(8), 3, 0xFF));
        }
        List<CompletableFuture<?>> counted = new ArrayList<>();
        inFlight.forEach(future -> counted.add(future.handle((_, _) -> completions.incrementAndGet())));
        clientNode().close();
        counted.forEach(NodeCases::get);
        assertEquals(inFlight.size(), completions.get());
        for (CompletableFuture<?> future : inFlight) {
            assertTrue(future.isDone());
            if (future.isCompletedExceptionally()) {
                assertEquals(Status.CLOSED, failureOf(future).status().orElseThrow());
            }
        }
        assertTrue(inFlight.get(2).isCompletedExceptionally());
        clientNode().close();
    }

    @Test
    @Semantics("O-147")
    void shouldNotWaitForAThreadThatEndsTheProcess() throws IOException {
        int port = address().getPort();
        try (PeerProcess process = new PeerProcess(transport(), ExitProgram.class, Integer.toString(port))) {
            RequestCases.until(
                    () -> process.saidAfter("connected to ").isPresent() || !process.isAlive(),
                    "the process to be connected");
            process.awaitEnd();
            String ending = process.ending();
            assertTrue(process.said("closed"), ending);
        }
    }

    @Test
    @Semantics("O-61")
    void shouldRefuseCallsAfterClose() {
        Peers peers = connectNodes();
        Node node = clientNode();
        node.close();
        assertEquals(
                Reason.CLOSED, failureOf(peers.client().send(new byte[1], 1)).reason());
        assertEquals(Reason.CLOSED, failureOf(peers.client().receive(1)).reason());
        assertEquals(Reason.CLOSED, failureOf(node.receive(1)).reason());
        assertEquals(Reason.CLOSED, failureOf(node.connect(loopback())).reason());
        FairleadException listening =
                assertThrows(FairleadException.class, () -> node.listen(loopback(), NodeCloseContract::ignore));
        assertEquals(Reason.CLOSED, listening.reason());
        Set<AccessRight> rights = EnumSet.allOf(AccessRight.class);
        FairleadException allocating = assertThrows(FairleadException.class, () -> node.allocate(64, rights));
        assertEquals(Reason.CLOSED, allocating.reason());
        MemorySegment own = Arena.ofAuto().allocate(64);
        FairleadException registering = assertThrows(FairleadException.class, () -> node.register(own, rights));
        assertEquals(Reason.CLOSED, registering.reason());
        peers.client().close();
        peers.client().abort();
    }

    @Test
    @Semantics("O-61")
    void shouldCompleteCallsThatRaceWithClose() {
        configure(NodeKeys.THREADS, 2);
        Peers peers = connectNodes();
        List<CompletableFuture<?>> raced = new ArrayList<>();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Void> racing = CompletableFuture.runAsync(() -> {
            boolean closed = false;
            while (!closed) {
                CompletableFuture<Void> send = peers.client().send(new byte[8], 1);
                CompletableFuture<Message> receive = clientNode().receive(5);
                raced.add(send);
                raced.add(receive);
                raced.add(clientNode().connect(address()));
                closed = receive.isCompletedExceptionally();
                started.countDown();
            }
        });
        await(started, "the first calls");
        clientNode().close();
        get(racing);
        for (CompletableFuture<?> future : raced) {
            get(future.handle((_, _) -> true));
        }
    }

    @Test
    @Semantics("O-62")
    void shouldCloseFromCallback() {
        Peers peers = connectNodes();
        CompletableFuture<Message> receive = peers.client().receive(1);
        CompletableFuture<Message> pending = peers.client().receive(2);
        CompletableFuture<Void> closed = receive.thenAccept(_ -> clientNode().close());
        get(peers.server().send(new byte[1], 1));
        get(closed);
        assertEquals(Status.CLOSED, failureOf(pending).status().orElseThrow());
        clientNode().close();
    }

    @Test
    @Semantics("O-63")
    void shouldInterruptCallbackThatBlocks() {
        Peers peers = connectNodes();
        CompletableFuture<Message> receive = peers.client().receive(1);
        CompletableFuture<Message> pending = peers.client().receive(2);
        CountDownLatch blocking = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = receive.thenApply(_ -> {
            try {
                blocking.countDown();
                new CountDownLatch(1).await();
                return false;
            } catch (InterruptedException expected) {
                return true;
            }
        });
        get(peers.server().send(new byte[1], 1));
        await(blocking, "the callback to block");
        clientNode().close();
        assertTrue(get(interrupted));
        assertEquals(Status.CLOSED, failureOf(pending).status().orElseThrow());
    }

    @Test
    @Semantics("O-64")
    void shouldReturnFromCloseThoughCallbackDoesNotYield() {
        Peers peers = connectNodes();
        CompletableFuture<Message> receive = peers.client().receive(1);
        CompletableFuture<Message> pending = peers.client().receive(2);
        CountDownLatch blocking = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CompletableFuture<Void> stubborn = receive.thenAccept(_ -> {
            blocking.countDown();
            while (release.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
        });
        get(peers.server().send(new byte[1], 1));
        await(blocking, "the callback to block");
        clientNode().close();
        assertFalse(pending.isDone());
        release.countDown();
        get(stubborn);
        assertEquals(Status.CLOSED, failureOf(pending).status().orElseThrow());
        clientNode().close();
    }

    @Test
    @Semantics("O-65")
    void shouldRefuseToWaitForFutureOnProgressThread() {
        Peers peers = connectNodes();
        CompletableFuture<Message> receive = peers.client().receive(1);
        CompletableFuture<Message> never = peers.client().receive(2);
        CompletableFuture<Message> dependent = never.thenApply(message -> message);
        CompletableFuture<List<Throwable>> thrown = receive.thenApply(_ -> List.of(
                assertThrows(IllegalStateException.class, never::join),
                assertThrows(IllegalStateException.class, never::get),
                assertThrows(IllegalStateException.class, () -> never.get(1, TimeUnit.HOURS)),
                assertThrows(IllegalStateException.class, dependent::join)));
        get(peers.server().send(new byte[1], 1));
        assertEquals(4, get(thrown).size());
    }

    @Test
    @Semantics("O-66")
    void shouldRunCallbacksOnExecutorWhereTheyMayBlock() {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Node node = startNode("executing", executor);
            List<Peer> accepted = new ArrayList<>();
            CountDownLatch known = new CountDownLatch(1);
            Listener listener = node.listen(loopback(), peer -> {
                assertTrue(Thread.currentThread().isVirtual());
                accepted.add(peer);
                known.countDown();
            });
            Peer client = get(clientNode().connect(listener.address()));
            await(known, "the peer to be accepted");
            CompletableFuture<Long> answered = accepted.getFirst().receive(1).thenApply(message -> {
                assertTrue(Thread.currentThread().isVirtual());
                return accepted.getFirst()
                        .send(message.segment(), 2)
                        .thenCombine(accepted.getFirst().receive(3), (_, second) -> second)
                        .join()
                        .length();
            });
            get(client.send(new byte[5], 1));
            assertEquals(5, get(client.receive(2)).length());
            get(client.send(new byte[6], 3));
            assertEquals(6, get(answered));
            node.close();
        }
    }

    @Test
    @Semantics("O-67")
    void shouldSendWhatWasCalledBeforeClose() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30));
        configureFewCredits();
        Peers peers = connectNodes();
        int count = 200;
        List<CompletableFuture<Message>> received = new ArrayList<>();
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        CountDownLatch sending = new CountDownLatch(1);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < count; i++) {
                sent.add(peers.client().send(new byte[100], 1));
            }
            sending.countDown();
            peers.client().close();
        });
        await(sending, "the sends");
        for (int i = 0; i < count; i++) {
            received.add(peers.server().receive(1));
        }
        received.forEach(NodeCases::get);
        get(closing);
        sent.forEach(NodeCases::get);
        assertEquals(
                Status.CLOSED,
                failureOf(peers.client().send(new byte[1], 1)).status().orElseThrow());
    }

    @Test
    @Semantics("O-68")
    void shouldSurviveCallbacksThatThrow() {
        Peers peers = connectNodes();
        RuntimeException thrown = new IllegalStateException("of the application");
        peers.client().onSignal(_ -> {
            throw thrown;
        });
        peers.client().onClosed(_ -> {
            throw thrown;
        });
        CompletableFuture<Object> throwing = peers.client().receive(1).thenApply(_ -> {
            throw thrown;
        });
        get(peers.server().send(new byte[1], 1));
        ExecutionException failure = assertThrows(ExecutionException.class, () -> throwing.get(60, TimeUnit.SECONDS));
        assertSame(thrown, failure.getCause());
        get(peers.server().send(new byte[2], 1));
        assertEquals(2, get(peers.client().receive(1)).length());
        peers.client().close();
    }

    @Test
    @Semantics("O-69")
    void shouldUseSeveralProgressThreads() {
        configure(NodeKeys.THREADS, 2);
        Peers one = connectNodes();
        Peers two = connectNodes();
        CompletableFuture<Thread> first = one.client().receive(1).thenApply(_ -> Thread.currentThread());
        CompletableFuture<Thread> second = two.client().receive(1).thenApply(_ -> Thread.currentThread());
        get(one.server().send(new byte[1], 1));
        get(two.server().send(new byte[1], 1));
        assertNotSame(get(first), get(second));
    }

    @Test
    @Semantics("O-77")
    void shouldSurviveCallbacksThatThrowAnything() {
        requires(Capability.PUT_SIGNAL);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(64, EnumSet.allOf(AccessRight.class));
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        for (Throwable thrown : Thrown.kinds()) {
            BlockingQueue<String> called = new LinkedBlockingQueue<>();
            serverNode().observe(new ThrowingObserver(thrown, called));
            peers.server().onSignal(_ -> {
                called.add("signal");
                throw Thrown.sneak(thrown);
            });
            get(peers.client().putSignal(buffer(8), 1, key, 0));
            assertEquals("signal", take(called, "the signal"));
            Listener listener = serverNode().listen(loopback(), peer -> {
                peer.onClosed(_ -> {
                    called.add("closed");
                    throw Thrown.sneak(thrown);
                });
                called.add("accepted");
                throw Thrown.sneak(thrown);
            });
            Peer other = get(clientNode().connect(listener.address()));
            assertEquals("accepted", take(called, "the peer to be accepted"));
            other.close();
            assertEquals("closed", take(called, "the peer to be told closed"));
            CompletableFuture<Object> throwing = peers.server().receive(1).handle((_, _) -> {
                throw Thrown.sneak(thrown);
            });
            assertEquals("started", take(called, "the observer of the receive"));
            get(peers.client().send(new byte[1], 1));
            assertSame(
                    thrown,
                    assertThrows(ExecutionException.class, throwing::get).getCause());
            assertEquals("ended", take(called, "the observer of the receive's end"));
            listener.close();
        }
        CompletableFuture<Message> pending = peers.server().receive(2);
        CompletableFuture<Message> ofAny = serverNode().receive(2);
        serverNode().close();
        assertEquals(Status.CLOSED, failureOf(pending).status().orElseThrow());
        assertEquals(Status.CLOSED, failureOf(ofAny).status().orElseThrow());
    }

    private record ThrowingObserver(Throwable thrown, BlockingQueue<String> called) implements NodeObserver {
        @Override
        public Running started(OperationKind operation, Optional<Peer> peer, long length) {
            if (operation == OperationKind.SEND) {
                throw Thrown.sneak(thrown);
            }
            called.add("started");
            return _ -> {
                called.add("ended");
                throw Thrown.sneak(thrown);
            };
        }
    }

    @Test
    @Semantics("O-78")
    void shouldCompleteFuturesThoughTheExecutorThrows() {
        for (Throwable thrown : Thrown.kinds()) {
            AtomicInteger run = new AtomicInteger();
            for (boolean runsFirst : new boolean[] {false, true}) {
                Node node = startNode("executing", task -> {
                    if (runsFirst) {
                        task.run();
                    }
                    throw Thrown.sneak(thrown);
                });
                Peer peer = get(node.connect(address()));
                Peer server = nextAccepted();
                run.set(0);
                CompletableFuture<Integer> received = peer.receive(1).thenApply(_ -> run.incrementAndGet());
                get(server.send(new byte[1], 1));
                get(received);
                CompletableFuture<Message> pending = peer.receive(2);
                CountDownLatch closed = new CountDownLatch(1);
                peer.onClosed(_ -> {
                    run.incrementAndGet();
                    closed.countDown();
                });
                node.close();
                await(closed, "the end of the peer to be told");
                assertEquals(2, run.get(), "callbacks that ran twice or not at all");
                assertEquals(Status.CLOSED, failureOf(pending).status().orElseThrow());
            }
        }
    }

    @Test
    @Semantics("N-21")
    void shouldKeepNothingOfConnectionsThatEnded() {
        InetSocketAddress to = address();
        AtomicInteger round = new AtomicInteger();
        LiveObjects.assertNothingLeftOf(CONNECTIONS, () -> {
            Peer client = get(clientNode().connect(to));
            Peer server = nextAccepted();
            CountDownLatch ended = new CountDownLatch(2);
            client.onClosed(_ -> ended.countDown());
            server.onClosed(_ -> ended.countDown());
            exchange(client, server);
            switch (round.getAndIncrement() % 3) {
                case 0 -> client.close();
                case 1 -> server.close();
                default -> server.abort();
            }
            await(ended, "both sides to end");
        });
    }

    @Test
    @Semantics("N-21")
    void shouldKeepNothingOfConnectionsThatWereReplaced() {
        Peers peers = connectNodes(ReconnectPolicy.always(Duration.ofMillis(1), Duration.ofMillis(1)));
        AtomicReference<Peer> latest = new AtomicReference<>(peers.server());
        LiveObjects.assertNothingLeftOf(CONNECTIONS, () -> {
            Peer ended = Objects.requireNonNull(latest.get());
            ended.abort();
            Peer server = nextAccepted();
            latest.set(server);
            exchange(server, peers.client());
        });
    }

    private static void exchange(Peer from, Peer to) {
        CompletableFuture<Message> received = to.receive(1);
        get(from.send(new byte[8], 1));
        get(received).close();
    }

    private static void ignore(Peer peer) {}
}
