package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Tagged messages between nodes: futures, matching, withdrawal, and the memory of callers. */
public class NodeMessageContract extends NodeCases {
    private static final long FULL = Worker.FULL_TAG_MASK;

    /** Creates the suite. */
    protected NodeMessageContract() {}

    @Test
    @Semantics("O-01")
    void shouldMoveMessagesOfAnyLength() {
        Peers peers = connectNodes();
        for (long length : new long[] {0, 1, 8, 4096, 65_535, 65_536, 65_537, 1 << 20, (16 << 20) + 3}) {
            MemorySegment sent = pattern(length, length);
            CompletableFuture<Message> received = peers.server().receive(7, FULL, length);
            CompletableFuture<Void> done = peers.client().send(sent, 7);
            try (Message message = get(received)) {
                assertEquals(length, message.length());
                assertEquals(7, message.tag());
                assertSame(peers.server(), message.source());
                Pattern.verify(message.segment(), 0, length, length);
            }
            get(done);
        }
    }

    @Test
    @Semantics("O-01")
    void shouldMoveMessagesThatWereNotExpected() {
        Peers peers = connectNodes();
        CompletableFuture<Void> small = peers.client().send(pattern(100, 1), 1);
        CompletableFuture<Void> large = peers.client().send(pattern(1 << 20, 2), 2);
        get(small);
        try (Message second = get(peers.server().receive(2));
                Message first = get(peers.server().receive(1))) {
            Pattern.verify(second.segment(), 0, 1 << 20, 2);
            Pattern.verify(first.segment(), 0, 100, 1);
        }
        get(large);
    }

    @Test
    @Semantics("O-02")
    void shouldKeepOrderOfOneThread() {
        Peers peers = connectNodes();
        int count = 5000;
        List<CompletableFuture<Message>> received = new ArrayList<>();
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(peers.client().send(bytes(i), 5));
            if (i % 2 == 0) {
                received.add(peers.server().receive(5));
            }
        }
        while (received.size() < count) {
            received.add(peers.server().receive(5));
        }
        for (int i = 0; i < count; i++) {
            assertArrayEquals(bytes(i), get(received.get(i)).bytes());
        }
        sent.forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-03")
    void shouldMatchReceivesInOrderOfCalls() {
        Peers peers = connectNodes();
        MemorySegment buffer = buffer(8);
        CompletableFuture<Message> any = serverNode().receive(0, 0, 100);
        CompletableFuture<Message> into = peers.server().receiveInto(buffer, 5, FULL);
        CompletableFuture<Message> masked = peers.server().receive(4, 0xFC, 100);
        CompletableFuture<Message> exact = peers.server().receive(5);
        for (int i = 0; i < 4; i++) {
            get(peers.client().send(bytes(i), 5));
        }
        assertArrayEquals(bytes(0), get(any).bytes());
        assertArrayEquals(bytes(1), get(into).bytes());
        assertArrayEquals(bytes(2), get(masked).bytes());
        assertArrayEquals(bytes(3), get(exact).bytes());
    }

    @Test
    @Semantics("O-04")
    void shouldCompareMaskedBitsAndSourceOnly() {
        Peers one = connectNodes();
        Peers two = connectNodes();
        CompletableFuture<Message> high = serverNode().receive(0xAB00, 0xFF00, 100);
        CompletableFuture<Message> ofTwo = two.server().receive(9);
        CompletableFuture<Message> any = serverNode().receive(9);
        get(one.client().send(bytes(1), 9));
        get(one.client().send(bytes(2), 0xABCD));
        assertSame(one.server(), get(any).source());
        assertEquals(0xABCD, get(high).tag());
        assertFalse(ofTwo.isDone());
        get(two.client().send(bytes(3), 9));
        assertSame(two.server(), get(ofTwo).source());
    }

    @Test
    @Semantics("O-05")
    void shouldFailReceiveOfTooLongMessageAndLoseNothingElse() {
        Peers peers = connectNodes();
        CompletableFuture<Message> tooShort = peers.server().receive(1, FULL, 99);
        CompletableFuture<Message> longEnough = peers.server().receive(1, FULL, 100);
        CompletableFuture<Message> tooShortForRendezvous = peers.server().receive(1, FULL, 100);
        get(peers.client().send(pattern(100, 1), 1));
        get(peers.client().send(pattern(100, 2), 1));
        get(peers.client().send(pattern(1 << 20, 3), 1));
        get(peers.client().send(pattern(10, 4), 1));
        FairleadException truncated = failureOf(tooShort);
        assertEquals(Status.TRUNCATED, truncated.status().orElseThrow());
        assertEquals(Reason.TRUNCATED, truncated.reason());
        assertTrue(String.valueOf(truncated.getMessage()).contains("length=100"), truncated::toString);
        Pattern.verify(get(longEnough).segment(), 0, 100, 2);
        assertEquals(Reason.TRUNCATED, failureOf(tooShortForRendezvous).reason());
        Pattern.verify(get(peers.server().receive(1)).segment(), 0, 10, 4);
    }

    @Test
    @Semantics("O-06")
    void shouldReceiveIntoMemoryOfCaller() {
        Peers peers = connectNodes();
        MemorySegment big = buffer(1 << 20);
        CompletableFuture<Message> inPlace = peers.server().receiveInto(big, 1, FULL);
        get(peers.client().send(pattern(1 << 20, 1), 1));
        assertEquals(big.address(), get(inPlace).segment().address());
        Pattern.verify(big, 0, 1 << 20, 1);

        MemorySegment heap = MemorySegment.ofArray(new byte[64]);
        CompletableFuture<Message> onHeap = serverNode().receiveInto(heap, 2, FULL);
        get(peers.client().send(pattern(40, 2), 2));
        assertEquals(40, get(onHeap).length());
        Pattern.verify(heap, 0, 40, 2);

        MemorySegment few = buffer(16);
        CompletableFuture<Message> truncated = peers.server().receiveInto(few, 3, FULL);
        get(peers.client().send(pattern(40, 3), 3));
        assertEquals(Status.TRUNCATED, failureOf(truncated).status().orElseThrow());
    }

    @Test
    @Semantics("O-07")
    void shouldCopyMemoryThatEngineCannotReach() {
        Peers peers = connectNodes();
        byte[] array = bytes(11);
        CompletableFuture<Void> sent = peers.client().send(array, 1);
        array[0] = 99;
        assertArrayEquals(bytes(11), get(peers.server().receive(1)).bytes());
        get(sent);
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment segment = confined.allocate(8);
            Pattern.fill(segment, 0, 8, 5);
            sent = peers.client().send(segment, 1);
        }
        get(sent);
        Pattern.verify(get(peers.server().receive(1)).segment(), 0, 8, 5);
    }

    @Test
    @Semantics("O-08")
    void shouldRefuseArgumentsOutOfRange() {
        Peers peers = connectNodes();
        Peer peer = peers.client();
        MemorySegment readOnly = buffer(8).asReadOnly();
        assertThrows(IllegalArgumentException.class, () -> peer.send(buffer(8), Worker.TAG_MAX + 1));
        assertThrows(IllegalArgumentException.class, () -> peer.send(buffer(8), -1));
        assertThrows(IllegalArgumentException.class, () -> peer.receive(-1));
        assertThrows(IllegalArgumentException.class, () -> peer.receive(0, FULL + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> peer.receive(0, FULL, -1));
        assertThrows(IllegalArgumentException.class, () -> peer.receiveInto(readOnly, 0, FULL));
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment mine = confined.allocate(8);
            assertThrows(IllegalArgumentException.class, () -> peer.receiveInto(mine, 0, FULL));
        }
        MemorySegment closed;
        try (Arena closing = Arena.ofShared()) {
            closed = closing.allocate(8);
        }
        assertThrows(IllegalArgumentException.class, () -> peer.send(closed, 1));
        assertThrows(IllegalArgumentException.class, () -> peer.sendSynchronous(closed, 1));
        assertThrows(IllegalArgumentException.class, () -> peer.receiveInto(closed, 0, FULL));
        get(peer.send(readOnly, Worker.TAG_MAX));
        assertEquals(Worker.TAG_MAX, get(peers.server().receive(Worker.TAG_MAX)).tag());
    }

    @Test
    @Semantics("O-09")
    void shouldCompleteSynchronousSendWhenMatched() {
        Peers peers = connectNodes();
        CompletableFuture<Void> sent = peers.client().sendSynchronous(MemorySegment.ofArray(bytes(1)), 1);
        // A round trip behind the send: it has arrived, and nobody has received it.
        get(peers.client().send(bytes(2), 2));
        get(peers.server().receive(2));
        get(peers.server().send(bytes(3), 3));
        get(peers.client().receive(3));
        assertFalse(sent.isDone());
        get(peers.server().receive(1));
        get(sent);
    }

    @Test
    @Semantics("O-10")
    void shouldWithdrawReceiveByCancelAndLoseNothing() {
        Peers peers = connectNodes();
        CompletableFuture<Message> first = peers.server().receive(1);
        CompletableFuture<Message> second = peers.server().receive(1);
        assertTrue(first.cancel(true));
        assertThrows(CancellationException.class, first::join);
        get(peers.client().send(bytes(1), 1));
        assertArrayEquals(bytes(1), get(second).bytes());
        assertFalse(second.cancel(true));
        assertFalse(second.isCancelled());
    }

    @Test
    @Semantics("O-10")
    void shouldGiveEachMessageToOneReceiveThoughOthersAreCancelled() {
        Peers peers = connectNodes();
        int count = 2000;
        List<CompletableFuture<Message>> receives = new ArrayList<>();
        for (int i = 0; i < 2 * count; i++) {
            receives.add(serverNode().receive(1));
        }
        CompletableFuture<Void> cancelling = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < count; i++) {
                receives.get(2 * i).cancel(false);
            }
        });
        for (int i = 0; i < count; i++) {
            get(peers.client().send(bytes(i), 1));
        }
        get(cancelling);
        // What was not withdrawn in time got a message, and the others got the rest: together all of them, each once.
        int next = 0;
        for (CompletableFuture<Message> receive : receives) {
            if (!receive.isCancelled() && next < count) {
                assertArrayEquals(bytes(next++), get(receive).bytes());
            }
        }
        assertEquals(count, next);
    }

    @Test
    @Semantics("O-11")
    void shouldWithdrawReceiveByTimeout() {
        Peers peers = connectNodes();
        CompletableFuture<Message> late = peers.server().receive(1).orTimeout(1, TimeUnit.MILLISECONDS);
        ExecutionException timedOut = assertThrows(ExecutionException.class, () -> late.get(60, TimeUnit.SECONDS));
        assertTrue(timedOut.getCause() instanceof TimeoutException);
        get(peers.client().send(bytes(1), 1));
        assertArrayEquals(bytes(1), get(peers.server().receive(1)).bytes());
    }

    @Test
    @Semantics("O-12")
    void shouldServeAThousandVirtualThreads() throws InterruptedException, ExecutionException {
        Peers peers = connectNodes();
        int threads = 1000;
        int rounds = 10;
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < threads; i++) {
                int tag = i;
                running.add(executor.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        Message ping = get(peers.server().receive(tag));
                        get(peers.server().send(ping.segment(), tag));
                    }
                }));
                running.add(executor.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        CompletableFuture<Message> pong = peers.client().receive(tag);
                        get(peers.client().send(bytes(tag * 1000L + round), tag));
                        assertArrayEquals(bytes(tag * 1000L + round), get(pong).bytes());
                    }
                }));
            }
            for (Future<?> thread : running) {
                thread.get();
            }
        }
    }

    @Test
    @Semantics("O-13")
    void shouldShareReceivesAmongProgressThreads() {
        configure(NodeKeys.THREADS, 3);
        Node receiver = startNode("receiver");
        // Its peers are spread over the threads.
        Listener listener = receiver.listen(loopback(), _ -> {});
        List<Peer> senders = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            senders.add(get(clientNode().connect(listener.address())));
        }
        int count = 600;
        List<CompletableFuture<Message>> receives = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            receives.add(receiver.receive(1));
        }
        for (int i = 0; i < count; i++) {
            get(senders.get(i % senders.size()).send(bytes(i), 1));
        }
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        Set<Peer> sources = ConcurrentHashMap.newKeySet();
        for (CompletableFuture<Message> receive : receives) {
            Message message = get(receive);
            assertTrue(seen.add(message.segment().get(ValueLayout.JAVA_LONG, 0)));
            sources.add(message.source());
        }
        assertEquals(count, seen.size());
        assertEquals(senders.size(), sources.size());
    }

    @Test
    @Semantics("O-14")
    void shouldKeepMessageUntilClosedAndNoLonger() {
        Peers peers = connectNodes();
        get(peers.client().send(pattern(100, 1), 1));
        CompletableFuture<Void> large = peers.client().send(pattern(1 << 20, 2), 1);
        Message small = get(peers.server().receive(1));
        Message closed = get(peers.server().receive(1));
        get(large);
        closed.close();
        closed.close();
        assertThrows(IllegalStateException.class, closed::segment);
        assertEquals(1 << 20, closed.length());
        CompletableFuture<Message> next = peers.server().receive(1);
        get(peers.client().send(pattern(1 << 20, 3), 1));
        Pattern.verify(get(next).segment(), 0, 1 << 20, 3);
        Pattern.verify(small.segment(), 0, 100, 1);
    }

    private static byte[] bytes(long value) {
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
        return bytes;
    }
}
