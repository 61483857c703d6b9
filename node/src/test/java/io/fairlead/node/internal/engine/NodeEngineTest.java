package io.fairlead.node.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.WorkerThread;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.peer.NodePeer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine against a worker that answers as a test says, also what a good one never would. */
@Timeout(60)
final class NodeEngineTest {
    private final List<NodeEngine> nodes = new ArrayList<>();
    private FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMillis(100));
    private FakeContext context = new FakeContext(config, 1);

    @AfterEach
    void close() {
        nodes.forEach(NodeEngine::close);
    }

    @Test
    void shouldPostAgainInOrderWhatFoundNoRoom() throws Exception {
        Peer peer = connect(start());
        context.worker.endpoint.withoutRoom.set(300);
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (long word = 0; word < 100; word++) {
            sends.add(peer.send(bytes(word), 1));
        }
        for (CompletableFuture<Void> send : sends) {
            send.get();
        }
        assertEquals(LongStream.range(0, 100).boxed().toList(), List.copyOf(context.worker.endpoint.sent));
    }

    @Test
    void shouldHaveEndedItsThreadsWhenCloseReturns() {
        for (int round = 0; round < 200; round++) {
            NodeEngine node = start();
            node.close();
            assertFalse(node.loops().loops().getFirst().thread().isAlive(), "round " + round);
        }
    }

    @Test
    void shouldFailWhatFoundNoRoomIfConfigured() throws Exception {
        config = config.with(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Peer peer = connect(start());
        context.worker.endpoint.withoutRoom.set(1);
        assertEquals(
                Status.BACK_PRESSURE, failureOf(peer.send(bytes(1), 1)).status().orElseThrow());
        peer.send(bytes(2), 1).get();
        assertEquals(List.of(2L), List.copyOf(context.worker.endpoint.sent));
    }

    @Test
    void shouldFailOneOperationThatCannotBePosted() throws Exception {
        Peer peer = connect(start());
        context.worker.endpoint.refused = 7;
        CompletableFuture<Void> refused = peer.send(bytes(7), 1);
        assertInstanceOf(
                IllegalArgumentException.class,
                assertThrows(ExecutionException.class, refused::get).getCause());
        peer.send(bytes(8), 1).get();
    }

    @Test
    void shouldTellStatusOfOperation() throws Exception {
        Peer peer = connect(start());
        FairleadException failure = failureOf(peer.flush());
        assertEquals(Status.UNSUPPORTED, failure.status().orElseThrow());
        assertEquals(Reason.UNSUPPORTED, failure.reason());
        peer.fence().get();
    }

    @Test
    void shouldReceiveInOrderThoughWorkerHasNoRoom() throws Exception {
        NodeEngine node = start();
        Peer peer = connect(node);
        context.worker.receivesWithoutRoom.set(100);
        List<CompletableFuture<Message>> receives = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            receives.add(i % 2 == 0 ? peer.receive(1) : node.receive(1));
            context.worker.arrive(1, i);
        }
        for (int i = 0; i < 50; i++) {
            assertEquals(i, word(receives.get(i).get()));
        }
    }

    @Test
    void shouldGiveUpTooLongMessage() throws Exception {
        NodeEngine node = start();
        Peer peer = connect(node);
        CompletableFuture<Message> tooShort = node.receive(1, Worker.FULL_TAG_MASK, 7);
        CompletableFuture<Message> next = peer.receive(2);
        context.worker.arrive(1, 1);
        context.worker.arrive(2, 2);
        assertEquals(Status.TRUNCATED, failureOf(tooShort).status().orElseThrow());
        assertEquals(2, word(next.get()));
        assertEquals(List.of(1L), List.copyOf(context.worker.discarded));
    }

    @Test
    void shouldWakeWorkerOnlyWhileItWaits() throws Exception {
        NodeEngine node = start();
        Peer peer = connect(node);
        context.worker.events = 1;
        // The loop has work in every turn from here on: this send wakes it for the last time, if at all.
        peer.send(bytes(0), 1).get();
        int before = context.worker.wakeups.get();
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 1; i <= 1000; i++) {
            sends.add(peer.send(bytes(i), 1));
        }
        for (CompletableFuture<Void> send : sends) {
            send.get();
        }
        assertEquals(before, context.worker.wakeups.get());

        context.worker.events = 0;
        // Nothing but the wake-up ends a wait before its time, so that each of these needs one sooner or later.
        while (context.worker.wakeups.get() == before) {
            peer.send(bytes(1001), 1).get();
        }
    }

    @Test
    void shouldFailEverythingWhenProgressFails() throws Exception {
        NodeEngine node = start();
        Peer peer = connect(node);
        context.worker.endpoint.silent = true;
        CompletableFuture<Void> inFlight = peer.send(bytes(1), 1);
        CompletableFuture<Message> waiting = peer.receive(1);
        RuntimeException broken = new IllegalStateException("broken by the test");
        context.worker.run(() -> {
            throw broken;
        });
        FairleadException failure = failureOf(inFlight);
        assertEquals(Reason.TRANSPORT, failure.reason());
        assertSame(broken, failure.getCause());
        assertEquals(Reason.TRANSPORT, failureOf(waiting).reason());
        assertTrue(context.closed.await(60, TimeUnit.SECONDS));
        assertEquals(Reason.CLOSED, failureOf(peer.send(bytes(2), 1)).reason());
        assertEquals(EndpointState.CLOSED, peer.state());
    }

    @Test
    void shouldCloseWhenTaskClosesWorker() throws Exception {
        NodeEngine node = start();
        Peer peer = connect(node);
        CompletableFuture<Integer> task = node.workerThread().call(worker -> {
            worker.close();
            return 1;
        });
        assertEquals(1, task.get());
        assertTrue(context.closed.await(60, TimeUnit.SECONDS));
        assertEquals(Reason.CLOSED, failureOf(peer.send(bytes(1), 1)).reason());
        assertEquals(Reason.CLOSED, failureOf(node.workerThread().call(_ -> 1)).reason());
    }

    @Test
    void shouldLetNoMoreThan8192TasksWait() throws Exception {
        config = config.with(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        WorkerThread thread = start().workerThread();
        CompletableFuture<Void> running = new CompletableFuture<>();
        CompletableFuture<Void> go = new CompletableFuture<>();
        CompletableFuture<Void> blocker = thread.call(_ -> {
            running.complete(null);
            return go.join();
        });
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        try {
            running.get();
            for (int i = 0; i < 8192; i++) {
                waiting.add(thread.call(_ -> 1));
            }
            assertEquals(
                    Status.BACK_PRESSURE,
                    failureOf(thread.call(_ -> 1)).status().orElseThrow());
        } finally {
            go.complete(null);
        }
        blocker.get();
        for (CompletableFuture<Integer> task : waiting) {
            assertEquals(1, task.get());
        }
    }

    @Test
    void shouldNotStartWithoutWorkers() throws Exception {
        config = config.with(NodeKeys.THREADS, 3);
        FakeContext withTwo = new FakeContext(config, 2);
        FairleadException failure = assertThrows(FairleadException.class, () -> NodeEngine.start(withTwo, null));
        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        assertTrue(withTwo.closed.await(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldCompleteOnProgressThreadWhenExecutorRejects() throws Exception {
        Peer peer = connect(startOn(context, _ -> {
            throw new RejectedExecutionException("shut down");
        }));
        peer.send(bytes(1), 1).get();
    }

    @Test
    void shouldWithdrawWhatIsCompletedFromOutside() throws Exception {
        NodeEngine node = start();
        Peer peer = connect(node);
        CompletableFuture<Message> replaced = peer.receive(1);
        CompletableFuture<Message> next = peer.receive(1);
        assertTrue(replaced.completeExceptionally(new IllegalStateException("of the application")));
        CompletableFuture<Message> behindOurBack = peer.receive(2);
        CompletableFuture<Message> nextOfTwo = peer.receive(2);
        behindOurBack.completeAsync(() -> null).get();
        context.worker.arrive(1, 1);
        context.worker.arrive(2, 2);
        assertEquals(1, word(next.get()));
        assertEquals(2, word(nextOfTwo.get()));
    }

    @Test
    void shouldTellEarlySignalsBeforeThoseOnTheirWay() throws Exception {
        Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        AtomicBoolean holds = new AtomicBoolean();
        NodePeer peer = (NodePeer) connect(startOn(context, task -> {
            if (holds.get()) {
                held.add(task);
            } else {
                task.run();
            }
        }));
        List<Long> told = new ArrayList<>();
        signal(peer, 1);
        signal(peer, 2);
        holds.set(true);
        signal(peer, 3);
        peer.onSignal(value -> {
            told.add(value);
            if (value == 1) {
                throw new IllegalStateException("of the application");
            }
        });
        signal(peer, 4);
        held.forEach(Runnable::run);
        assertEquals(List.of(1L, 2L, 3L, 4L), told);
    }

    /** Comes back when the executor has the signal. */
    private static void signal(NodePeer peer, long value) throws Exception {
        CompletableFuture<Void> delivered = new CompletableFuture<>();
        peer.loop().execute(new LoopTask.Action(loop -> loop.deliver(() -> peer.signalled(value))));
        peer.loop().execute(new LoopTask.Action(loop -> loop.deliveries().addInternal(() -> delivered.complete(null))));
        delivered.get();
    }

    private NodeEngine start() {
        context = new FakeContext(config, 1);
        return startOn(context, null);
    }

    private NodeEngine startOn(FakeContext on, Executor executor) {
        NodeEngine node = NodeEngine.start(on, executor);
        nodes.add(node);
        return node;
    }

    private static Peer connect(NodeEngine node) throws Exception {
        Peer peer = node.connect(InetSocketAddress.createUnresolved("fake", 1), PathPolicy.AUTO, ReconnectPolicy.NEVER)
                .get();
        assertEquals(EndpointState.CONNECTED, peer.state());
        return peer;
    }

    private static FairleadException failureOf(CompletableFuture<?> future) {
        return assertInstanceOf(
                FairleadException.class,
                assertThrows(ExecutionException.class, future::get).getCause());
    }

    private static byte[] bytes(long word) {
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, word);
        return bytes;
    }

    private static long word(Message message) {
        return message.segment().get(ValueLayout.JAVA_LONG, 0);
    }
}
