package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Status;
import io.fairlead.testkit.internal.FakeOperation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages between two endpoints, whole and torn at every place. */
@Timeout(180)
final class MessageStreamTest {
    private final TestPair pair = new TestPair();

    @AfterEach
    void close() {
        pair.close();
        assertEquals(0, pair.rightWorker.worker.memory.eagerPool().used(), "memory for unexpected messages");
    }

    private FakeOperation send(MemorySegment payload, long tag) {
        FakeOperation send = FakeOperation.over(payload).tag(tag);
        assertTrue(pair.left.endpoint().send(send));
        return send;
    }

    private FakeOperation receive(long length, long tag) {
        FakeOperation receive = FakeOperation.over(pair.buffer(length)).tag(tag);
        pair.right.host().receive(receive);
        return receive;
    }

    private void exchange(long length) {
        MemorySegment payload = pair.pattern(length, 3);
        FakeOperation receive = receive(length, 9);
        pair.complete(send(payload, 9), receive);
        assertEquals(length, receive.completedLength);
        TestPair.assertSame(payload, receive.buffer());
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                1,
                8,
                4096,
                32 << 10,
                (32 << 10) + 1,
                64 << 10,
                (64 << 10) + 1,
                1 << 20,
                (1 << 20) + 1,
                5_000_003
            })
    void shouldCarryMessageIntoPostedReceive(long length) {
        exchange(length);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8, 50, 4096, 40_000, (64 << 10) + 1, 300_000})
    void shouldCarryMessageThatIsTornAtEveryPlace(long length) {
        pair.tear(length < 5000 ? 3 : 997, length);
        exchange(length);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4096, 64 << 10})
    void shouldKeepUnmatchedEagerMessageUntilReceived(long length) {
        MemorySegment payload = pair.pattern(length, 5);
        pair.complete(send(payload, 1));
        pair.progressUntil(
                () -> !pair.right.host().unmatched.isEmpty()
                        && pair.right.host().unmatched.getFirst().whole,
                "the message to be whole");
        FakeOperation receive = receive(length, 1);
        assertEquals(Status.OK, receive.status);
        TestPair.assertSame(payload, receive.buffer());
    }

    @Test
    void shouldDeliverEagerMessageOfWhichOnlyPartHasArrived() {
        pair.tear(1000, 1);
        MemorySegment payload = pair.pattern(20_000, 5);
        FakeOperation send = send(payload, 1);
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the message to begin");
        assertFalse(pair.right.host().unmatched.getFirst().whole);
        FakeOperation receive = receive(20_000, 1);
        assertFalse(receive.done());
        pair.complete(send, receive);
        TestPair.assertSame(payload, receive.buffer());
    }

    @ParameterizedTest
    @ValueSource(longs = {10, 40_000, 200_000})
    void shouldFillShortReceiveAndTellTrueLength(long length) {
        MemorySegment payload = pair.pattern(length, 5);
        FakeOperation receive = receive(7, 1);
        FakeOperation empty = receive(0, 1);
        pair.complete(send(payload, 1), send(payload, 1), receive, empty);
        assertEquals(length, receive.completedLength);
        assertEquals(length, empty.completedLength);
        TestPair.assertSame(payload.asSlice(0, 7), receive.buffer());
        exchange(100);
    }

    @Test
    void shouldFillShortReceiveAfterPartHasArrived() {
        pair.tear(1000, 4);
        MemorySegment payload = pair.pattern(20_000, 5);
        FakeOperation send = send(payload, 1);
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the message to begin");
        FakeOperation receive = receive(9, 1);
        pair.complete(send, receive);
        assertEquals(20_000, receive.completedLength);
        TestPair.assertSame(payload.asSlice(0, 9), receive.buffer());
    }

    @Test
    void shouldLeaveLongMessageAtItsSenderUntilReceived() {
        MemorySegment payload = pair.pattern(3 << 20, 5);
        FakeOperation send = send(payload, 1);
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the announcement");
        for (int i = 0; i < 100; i++) {
            pair.progress();
        }
        assertFalse(send.done());
        assertFalse(pair.left.endpoint().isDrained());
        assertEquals(0, pair.rightWorker.worker.memory.eagerPool().allocated());
        FakeOperation receive = receive(3 << 20, 1);
        pair.complete(send, receive);
        TestPair.assertSame(payload, receive.buffer());
        assertTrue(pair.left.endpoint().isDrained());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, 40_000, 200_000})
    void shouldCompleteSynchronousSendOnlyWhenMatched(long length) {
        FakeOperation send = FakeOperation.over(pair.pattern(length, 1)).tag(4).untilMatched();
        assertTrue(pair.left.endpoint().send(send));
        pair.progressUntil(() -> !pair.right.host().unmatched.isEmpty(), "the message");
        for (int i = 0; i < 100; i++) {
            pair.progress();
        }
        assertFalse(send.done());
        FakeOperation receive = receive(length, 4);
        pair.complete(receive, send);
        TestPair.assertSame(send.buffer(), receive.buffer());

        FakeOperation posted = receive(length, 5);
        FakeOperation second =
                FakeOperation.over(pair.pattern(length, 2)).tag(5).untilMatched();
        assertTrue(pair.left.endpoint().send(second));
        pair.complete(posted, second);
        assertEquals(length, second.completedLength);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCompleteSynchronousSendOnlyWhenItsPayloadHasLeft(boolean gathered) {
        pair.tear(5000, 3);
        MemorySegment payload = pair.pattern(60_000, 1);
        MemorySegment copy = pair.buffer(60_000).copyFrom(payload);
        FakeOperation send = gathered
                ? FakeOperation.gather(payload.asSlice(0, 20_000), payload.asSlice(20_000), pair.pattern(10, 1))
                : FakeOperation.over(payload);
        FakeOperation receive = receive(send.length(), 4);
        assertTrue(pair.left.endpoint().send(send.tag(4).untilMatched()));
        pair.progressUntil(send::done, "the send to complete");
        payload.fill((byte) 0xEE);
        pair.complete(receive, send);
        TestPair.assertSame(copy, receive.buffer().asSlice(0, 60_000));
        assertTrue(pair.left.endpoint().isDrained());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 700, 1000, 1025, 5000, 300_000})
    void shouldGatherParts(int partLength) {
        int parts = partLength > 1000 ? 5 : 64;
        MemorySegment[] list = new MemorySegment[parts];
        MemorySegment expected = pair.buffer((long) parts / 2 * partLength + (parts - parts / 2) * 3L);
        long at = 0;
        for (int i = 0; i < parts; i++) {
            list[i] = pair.pattern(i % 2 == 0 ? 3 : partLength, i);
            MemorySegment.copy(list[i], 0, expected, at, list[i].byteSize());
            at += list[i].byteSize();
        }
        FakeOperation receive = receive(expected.byteSize(), 2);
        FakeOperation send = FakeOperation.gather(list).tag(2);
        assertTrue(pair.left.endpoint().send(send));
        pair.complete(send, receive);
        TestPair.assertSame(expected, receive.buffer());
    }

    @Test
    void shouldGatherEmptyPartsAndLongParts() {
        MemorySegment part = pair.pattern(100_000, 2);
        FakeOperation receive = receive(200_000, 2);
        FakeOperation send = FakeOperation.gather(pair.buffer(0), part, pair.buffer(0), part, pair.buffer(0))
                .tag(2);
        assertTrue(pair.left.endpoint().send(send));
        pair.complete(send, receive);
        TestPair.assertSame(part, receive.buffer().asSlice(0, 100_000));
        TestPair.assertSame(part, receive.buffer().asSlice(100_000));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 60, 5000, 100_000})
    void shouldKeepOrderAndContentOfManyMessages(int tearing) {
        pair.tear(tearing, tearing);
        Random random = new Random(tearing);
        int rounds = tearing == 1 ? 20 : 150;
        int longest = tearing < 100 ? 400 : 150_000;
        List<FakeOperation> sends = new ArrayList<>();
        List<FakeOperation> receives = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            int length = random.nextInt(4) == 0 ? random.nextInt(longest) : random.nextInt(100);
            FakeOperation send = FakeOperation.over(pair.pattern(length, i)).tag(6);
            if (random.nextBoolean()) {
                send.untilMatched();
            }
            pair.progressUntil(() -> pair.left.endpoint().send(send), "room for a send");
            sends.add(send);
            if (random.nextBoolean()) {
                pair.progress();
            }
            receives.add(receive(length, 6));
        }
        pair.complete(sends.toArray(FakeOperation[]::new));
        pair.complete(receives.toArray(FakeOperation[]::new));
        for (int i = 0; i < rounds; i++) {
            TestPair.assertSame(sends.get(i).buffer(), receives.get(i).buffer());
        }
    }

    @Test
    void shouldLetShortMessageOvertakeTheRestOfLongOne() {
        MemorySegment payload = pair.pattern(64 << 20, 1);
        FakeOperation longReceive = receive(64 << 20, 1);
        FakeOperation shortReceive = receive(8, 2);
        FakeOperation longSend = send(payload, 1);
        pair.progressUntil(() -> longReceive.word > 0, "the long message to begin");
        FakeOperation shortSend = send(pair.pattern(8, 1), 2);
        pair.complete(shortSend, shortReceive);
        assertFalse(longReceive.done());
        pair.complete(longSend, longReceive);
        TestPair.assertSame(payload, longReceive.buffer());
    }

    @Test
    void shouldCarryControlFramesBetweenData() {
        pair.tear(700, 2);
        byte[] control = new byte[TcpFrame.CONTROL_MAX];
        new Random(1).nextBytes(control);
        FakeOperation receive = receive(200_000, 1);
        FakeOperation send = send(pair.pattern(200_000, 1), 1);
        for (int i = 0; i < 3; i++) {
            pair.progressUntil(
                    () -> pair.left.endpoint().sendControl(java.nio.ByteBuffer.wrap(control)),
                    "room for a control frame");
        }
        pair.complete(send, receive);
        pair.progressUntil(() -> pair.right.host().controls.size() == 3, "the control frames");
        for (byte[] arrived : pair.right.host().controls) {
            org.junit.jupiter.api.Assertions.assertArrayEquals(control, arrived);
        }
        assertTrue(pair.right.host().heard > 0);
    }
}
