package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.testkit.internal.FakeOperation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Back-pressure, waiting, and the ways in which an endpoint ends. */
@Timeout(180)
final class EndpointLifeTest {
    private final TestPair pair = new TestPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private FakeOperation send(long length) {
        return FakeOperation.over(pair.buffer(length)).tag(1);
    }

    @Test
    void shouldRefuseSendsOnceTheQueueIsFullAndTakeThemLater() {
        pair.left.connection().full = true;
        List<FakeOperation> taken = new ArrayList<>();
        FakeOperation next = send(1000);
        while (pair.left.endpoint().send(next)) {
            taken.add(next);
            assertTrue(taken.size() * 1000L <= TestWorker.QUEUE_BYTES, "no bound: " + taken.size());
            next = send(1000);
        }
        assertTrue(taken.size() > 60, "bound too low: " + taken.size());
        assertNull(next.status);
        assertEquals(0, next.word);
        assertNull(next.attachment);
        assertFalse(pair.left.endpoint().isDrained());
        pair.left.connection().full = false;
        FakeOperation refused = next;
        pair.progressUntil(() -> pair.left.endpoint().send(refused), "room");
        pair.progressUntil(() -> pair.right.host().unmatched.size() == taken.size() + 1, "all messages");
        pair.progressUntil(pair.left.endpoint()::isDrained, "the queue to drain");
    }

    @Test
    void shouldKeepRoomForControlFramesBehindFullQueue() {
        pair.left.connection().full = true;
        int sends = 0;
        while (pair.left.endpoint().send(send(1000))) {
            sends++;
        }
        assertTrue(pair.left.endpoint().sendControl(ByteBuffer.allocate(TcpFrame.CONTROL_MAX)));
        assertTrue(sends > 0);
        int frames = 1;
        while (pair.left.endpoint().sendControl(ByteBuffer.allocate(TcpFrame.CONTROL_MAX))) {
            frames++;
        }
        assertTrue(frames < 20, "no bound: " + frames);
        pair.left.connection().full = false;
        int expected = frames;
        pair.progressUntil(() -> pair.right.host().controls.size() == expected, "the control frames");
    }

    @Test
    void shouldTakeAnyMessageIntoAnEmptyQueueHoweverSmallItIs() {
        try (TestPair small = new TestPair(4096)) {
            FakeOperation receive = FakeOperation.over(small.buffer(30_000)).tag(1);
            small.right.host().receive(receive);
            FakeOperation send = FakeOperation.over(small.pattern(30_000, 1)).tag(1);
            assertTrue(small.left.endpoint().send(send));
            assertFalse(small.left.endpoint().send(FakeOperation.over(small.buffer(1))));
            small.complete(send, receive);
            TestPair.assertSame(send.buffer(), receive.buffer());
        }
    }

    @Test
    void shouldBoundWhatOneSideAsks() {
        try (TestPair roomy = new TestPair(16 << 20)) {
            TcpEndpoint endpoint = roomy.left.endpoint();
            roomy.left.connection().full = true;
            roomy.right.host().region(1, roomy.buffer(8));
            List<FakeOperation> atomics = new ArrayList<>();
            for (int i = 0; i < TcpFrame.ASKED_MAX + 100; i++) {
                FakeOperation atomic = new FakeOperation().at(1, 0).atomic(AtomicOperation.ADD, 1, 0);
                assertTrue(endpoint.atomic(atomic));
                atomics.add(atomic);
            }
            assertTrue(Objects.requireNonNull(endpoint.usedMemory()).requester.isWaiting());
            MemorySegment message = roomy.buffer(1 << 20);
            int announced = 0;
            while (endpoint.send(FakeOperation.over(message).tag(1))) {
                announced++;
            }
            assertEquals(TcpFrame.ASKED_MAX, announced);
            assertFalse(endpoint.send(FakeOperation.over(roomy.buffer(8)).tag(1).untilMatched()));
            roomy.left.connection().full = false;
            roomy.complete(atomics.toArray(FakeOperation[]::new));
            for (int i = 0; i < atomics.size(); i++) {
                assertEquals(i, atomics.get(i).completedValue);
            }
        }
    }

    @Test
    void shouldCancelEverythingOnClose() {
        FakeOperation receive = FakeOperation.over(pair.buffer(1 << 20)).tag(9);
        pair.left.host().receive(receive);
        FakeOperation incoming = FakeOperation.over(pair.pattern(1 << 20, 1)).tag(9);
        assertTrue(pair.right.endpoint().send(incoming));
        pair.progressUntil(() -> pair.left.host().receives.isEmpty(), "the announcement");
        pair.left.connection().full = true;
        List<FakeOperation> operations = new ArrayList<>();
        operations.add(send(40_000));
        operations.add(send(100).untilMatched());
        operations.add(send(1 << 20));
        operations.forEach(operation -> assertTrue(pair.left.endpoint().send(operation)));
        FakeOperation put = FakeOperation.over(pair.buffer(1 << 20)).at(1, 0);
        FakeOperation get = FakeOperation.over(pair.buffer(100)).at(1, 0);
        FakeOperation atomic = new FakeOperation().at(1, 0).atomic(AtomicOperation.ADD, 1, 0);
        FakeOperation flush = new FakeOperation();
        assertTrue(pair.left.endpoint().put(put));
        assertTrue(pair.left.endpoint().get(get));
        assertTrue(pair.left.endpoint().atomic(atomic));
        assertTrue(pair.left.endpoint().flush(flush));
        operations.addAll(List.of(put, get, atomic, flush, receive));
        pair.left.endpoint().close();
        for (FakeOperation operation : operations) {
            assertEquals(Status.CANCELLED, operation.status);
        }
        assertTrue(pair.left.connection().closed);
        pair.left.endpoint().close();
        pair.progressUntil(() -> pair.right.host().ended || pair.right.host().failure != null, "the end");
        assertTrue(incoming.done());
    }

    @Test
    void shouldCancelHalfReceivedMessageOnClose() {
        pair.tear(1000, 1);
        FakeOperation receive = FakeOperation.over(pair.buffer(20_000)).tag(1);
        pair.right.host().receive(receive);
        assertTrue(pair.left.endpoint().send(send(20_000)));
        pair.progressUntil(() -> pair.right.host().receives.isEmpty(), "the message to begin");
        pair.right.endpoint().close();
        assertEquals(Status.CANCELLED, receive.status);
    }

    @Test
    void shouldFreeHalfReceivedUnmatchedMessageOnClose() {
        pair.tear(1000, 1);
        assertTrue(pair.left.endpoint().send(send(20_000)));
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the message to begin");
        assertTrue(pair.rightWorker.worker.memory.eagerPool().used() > 0);
        pair.right.endpoint().close();
        assertEquals(0, pair.rightWorker.worker.memory.eagerPool().used());
    }

    @Test
    void shouldDeliverWholeMessageAfterClose() {
        MemorySegment payload = pair.pattern(500, 2);
        assertTrue(pair.left.endpoint().send(FakeOperation.over(payload).tag(1)));
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the message");
        pair.right.endpoint().close();
        FakeOperation receive = FakeOperation.over(pair.buffer(500)).tag(1);
        pair.right.host().receive(receive);
        assertEquals(Status.OK, receive.status);
        TestPair.assertSame(payload, receive.buffer());
        assertEquals(0, pair.rightWorker.worker.memory.eagerPool().used());
    }

    @Test
    void shouldFreeDiscardedMessage() {
        assertTrue(pair.left.endpoint().send(send(500)));
        assertTrue(pair.left.endpoint().send(send(1 << 20)));
        pair.progressUntil(() -> pair.right.host().unmatched.size() == 2, "the messages");
        pair.right.host().unmatched.forEach(pair.right.endpoint()::discard);
        assertEquals(0, pair.rightWorker.worker.memory.eagerPool().used());
    }

    @Test
    void shouldTellEndBetweenFramesApartFromEndInsideOne() throws IOException {
        Sockets sockets = Sockets.connected();
        TestWorker.End end = pair.leftWorker.connect(sockets.left());
        sockets.right().write(ByteBuffer.wrap(new byte[] {1, 0, 0, 0, 8}));
        sockets.right().close();
        pair.progressUntil(() -> end.host().failure != null, "the failure");
        assertEquals(Reason.PEER_LOST, reason(end));
        pair.right.endpoint().close();
        pair.progressUntil(() -> pair.left.host().ended, "the end");
        assertNull(pair.left.host().failure);
    }

    private static Reason reason(TestWorker.End end) {
        FairleadException failure = end.host().failure;
        assertNotNull(failure);
        return failure.reason();
    }

    @Test
    void shouldReadWhatPeerSentBeforeItHungUp() {
        assertTrue(pair.right.endpoint().sendControl(ByteBuffer.allocate(3)));
        pair.rightWorker.progress();
        pair.left.connection().writeFailure = new IOException("Broken pipe");
        assertTrue(pair.left.endpoint().send(send(8)));
        pair.progressUntil(() -> pair.left.host().failure != null, "the failure");
        assertEquals(1, pair.left.host().controls.size());
        assertEquals(Reason.PEER_LOST, reason(pair.left));
        assertTrue(String.valueOf(pair.left.host().failure.getMessage()).contains("Broken pipe"));
        assertFalse(pair.left.endpoint().send(send(8)));
    }

    @Test
    void shouldFailEndpointWhoseOperationLostItsMemory() {
        pair.left.connection().full = true;
        FakeOperation send;
        try (Arena shortLived = Arena.ofConfined()) {
            send = FakeOperation.over(shortLived.allocate(60_000)).tag(1);
            assertTrue(pair.left.endpoint().send(send));
            pair.progress();
        }
        pair.left.connection().full = false;
        pair.progressUntil(() -> pair.left.host().failure != null, "the failure");
        assertEquals(Reason.TRANSPORT, reason(pair.left));
        assertEquals(Status.CANCELLED, send.status);
    }

    @Test
    void shouldArmOnlyWhileNothingCanBeWritten() {
        assertTrue(pair.leftWorker.worker.arm());
        assertTrue(pair.left.endpoint().send(send(8)));
        assertFalse(pair.leftWorker.worker.arm());
        pair.leftWorker.progress();
        assertTrue(pair.leftWorker.worker.arm());
        assertTrue(pair.rightWorker.worker.arm());
        assertEquals(1, pair.rightWorker.host.await());
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the message");
    }

    @Test
    void shouldBeWokenWhenBlockedSocketTakesMore() {
        FakeOperation receive = FakeOperation.over(pair.buffer(64 << 20)).tag(1);
        pair.right.host().receive(receive);
        FakeOperation send = send(64 << 20);
        assertTrue(pair.left.endpoint().send(send));
        pair.leftWorker.progress();
        while (!receive.done()) {
            while (pair.leftWorker.progress() > 0) {
                // The socket takes what it takes.
            }
            if (!send.done() && pair.leftWorker.worker.arm()) {
                while (pair.rightWorker.progress() > 0) {
                    // The peer takes all that is there, which makes room.
                }
                pair.leftWorker.host.await();
            }
            pair.rightWorker.progress();
        }
        pair.complete(send);
    }

    @Test
    void shouldServeManyEndpointsByTheSelector() {
        int count = 3 * TcpWorker.TRIED_MAX;
        List<TestWorker.End> lefts = new ArrayList<>();
        List<TestWorker.End> rights = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Sockets sockets = Sockets.connected();
            lefts.add(pair.leftWorker.connect(sockets.left()));
            rights.add(pair.rightWorker.connect(sockets.right()));
        }
        List<FakeOperation> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = i % 5 == 0 ? 8 << 20 : 100;
            FakeOperation receive = FakeOperation.over(pair.buffer(length)).tag(1);
            rights.get(i).host().receive(receive);
            FakeOperation send = FakeOperation.over(pair.pattern(length, i)).tag(1);
            assertTrue(lefts.get(i).endpoint().send(send));
            all.add(send);
            all.add(receive);
        }
        pair.complete(all.toArray(FakeOperation[]::new));
        for (int i = 0; i < all.size(); i += 2) {
            TestPair.assertSame(all.get(i).buffer(), all.get(i + 1).buffer());
        }
        assertTrue(pair.leftWorker.host.polls > 0);
        // Down to few endpoints again.
        lefts.forEach(end -> end.endpoint().close());
        pair.progressUntil(() -> rights.stream().allMatch(end -> end.host().ended), "the ends");
        FakeOperation receive = FakeOperation.over(pair.buffer(100)).tag(1);
        pair.right.host().receive(receive);
        FakeOperation send = send(100);
        assertTrue(pair.left.endpoint().send(send));
        pair.complete(send, receive);
    }
}
