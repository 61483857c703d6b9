package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.testkit.internal.FakeOperation;
import io.fairlead.transport.tcp.FakeEndpointHost.FakeArrival;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that another thread closes after the core has looked at it. */
@Timeout(60)
final class ClosedMemoryTest {
    private final TestPair pair = new TestPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private static MemorySegment closed(long length) {
        try (Arena arena = Arena.ofShared()) {
            return arena.allocate(length, 8);
        }
    }

    /** What is sent from now on arrives: nothing of what threw is in the stream. */
    private void assertStreamIsIntact() {
        MemorySegment payload = pair.pattern(50_000, 3);
        FakeOperation receive = FakeOperation.over(pair.buffer(50_000)).tag(9);
        pair.right.host().receive(receive);
        FakeOperation send = FakeOperation.over(payload).tag(9);
        assertTrue(pair.left.endpoint().send(send));
        pair.complete(send, receive);
        TestPair.assertSame(payload, receive.buffer());
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 4096, 40_000, 64 << 10})
    void shouldQueueNothingOfASendThatThrows(long length) {
        FakeOperation plain = FakeOperation.over(closed(length)).tag(1);
        FakeOperation synchronous = FakeOperation.over(closed(length)).tag(1).untilMatched();
        for (int i = 0; i < 10; i++) {
            assertThrows(IllegalStateException.class, () -> pair.left.endpoint().send(plain));
            assertThrows(IllegalStateException.class, () -> pair.left.endpoint().send(synchronous));
        }
        assertTrue(pair.left.endpoint().isDrained());
        assertNull(plain.status);
        assertStreamIsIntact();
    }

    @ParameterizedTest
    @ValueSource(longs = {16, 2000, 40_000})
    void shouldQueueNothingOfAGatheringSendThatThrows(long length) {
        // The first part is queued where it is, if it is long, before the second throws.
        FakeOperation gather = FakeOperation.gather(pair.pattern(length, 1), closed(16), pair.pattern(length / 4, 2))
                .tag(1);
        for (int i = 0; i < 10; i++) {
            assertThrows(IllegalStateException.class, () -> pair.left.endpoint().send(gather));
        }
        assertTrue(pair.left.endpoint().isDrained());
        assertStreamIsIntact();
    }

    @Test
    void shouldQueueNothingOfAPutThatThrows() {
        FakeOperation put = FakeOperation.over(closed(64)).at(1, 0);
        for (int i = 0; i < 10; i++) {
            assertThrows(IllegalStateException.class, () -> pair.left.endpoint().put(put));
        }
        assertTrue(pair.left.endpoint().isDrained());
        assertStreamIsIntact();
    }

    @Test
    void shouldForgetAnArrivalThatIsDiscardedBeforeItIsWhole() {
        pair.tear(1000, 1);
        MemorySegment payload = pair.pattern(20_000, 5);
        FakeOperation send = FakeOperation.over(payload).tag(9);
        assertTrue(pair.left.endpoint().send(send));
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the message to begin");
        FakeArrival arrival = pair.right.host().unmatched.getFirst();
        assertFalse(arrival.whole);
        FakeOperation receive = FakeOperation.over(closed(20_000)).tag(9);
        assertThrows(IllegalStateException.class, () -> pair.right.host().receive(receive));
        pair.right.endpoint().discard(arrival);
        // The core uses it for another message from here on.
        FakeOperation other = FakeOperation.over(pair.buffer(20_000));
        arrival.operation = other;
        pair.complete(send);
        assertStreamIsIntact();
        assertNull(other.status);
        assertEquals(-1, other.buffer().mismatch(pair.buffer(20_000)));
        assertEquals(0, pair.rightWorker.worker.memory.eagerPool().used());
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 4096, 300_000})
    void shouldEndReceiveWhoseMemoryIsClosed(long length) {
        FakeOperation receive = FakeOperation.over(closed(length)).tag(9);
        pair.right.host().receive(receive);
        FakeOperation send = FakeOperation.over(pair.pattern(length, 3)).tag(9);
        assertTrue(pair.left.endpoint().send(send));
        pair.progressUntil(() -> pair.right.host().failure != null, "the endpoint to fail");
        assertEquals(Reason.TRANSPORT, pair.right.host().failure.reason());
        pair.right.endpoint().close();
        assertEquals(Status.CANCELLED, receive.status);
    }
}
