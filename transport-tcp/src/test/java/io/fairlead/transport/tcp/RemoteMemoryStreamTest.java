package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.testkit.internal.FakeOperation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Puts, gets, atomics, flushes and fences between two endpoints. */
@Timeout(180)
final class RemoteMemoryStreamTest {
    private static final long REGION = 0xABCDEF12345678L;
    private static final long LENGTH = 8 << 20;
    private static final long HUGE = 64 << 20;

    private final TestPair pair = new TestPair();
    private final MemorySegment memory = pair.pattern(LENGTH, 77);
    private final FakeEndpointHost.FakeRegion region = pair.right.host().region(REGION, memory);

    @AfterEach
    void close() {
        assertEquals(0, region.holders, "region left held");
        pair.close();
    }

    private TransportEndpoint left() {
        return pair.left.endpoint();
    }

    private FakeOperation put(MemorySegment source, long at) {
        FakeOperation put = FakeOperation.over(source).at(REGION, at);
        assertTrue(left().put(put));
        return put;
    }

    private FakeOperation get(long length, long at) {
        FakeOperation get = FakeOperation.over(pair.buffer(length)).at(REGION, at);
        assertTrue(left().get(get));
        return get;
    }

    private FakeOperation flush() {
        FakeOperation flush = new FakeOperation();
        assertTrue(left().flush(flush));
        return flush;
    }

    private FakeOperation atomic(AtomicOperation operation, long operand, long compare, long at) {
        FakeOperation atomic = new FakeOperation().at(REGION, at).atomic(operation, operand, compare);
        assertTrue(left().atomic(atomic));
        return atomic;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 8, 4096, 32 << 10, (32 << 10) + 1, 1 << 20, (1 << 20) + 1, 3_333_333})
    void shouldPutAndGet(long length) {
        MemorySegment source = pair.pattern(length, 3);
        pair.complete(put(source, 1001), flush());
        TestPair.assertSame(source, memory.asSlice(1001, length));
        FakeOperation get = get(length, 1001);
        pair.complete(get);
        assertEquals(length, get.completedLength);
        TestPair.assertSame(source, get.buffer());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 50, 4096, 100_000})
    void shouldPutAndGetOverSocketThatTears(long length) {
        pair.tear(length < 5000 ? 5 : 777, length);
        MemorySegment source = pair.pattern(length, 3);
        pair.complete(put(source, 0), flush());
        FakeOperation get = get(length, 0);
        pair.complete(get);
        TestPair.assertSame(source, get.buffer());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, 100_000, 2_500_000})
    void shouldSignalAfterData(long length) {
        MemorySegment source = pair.pattern(length, 3);
        FakeOperation put = FakeOperation.over(source).at(REGION, 5).signal(-42);
        assertTrue(left().put(put));
        pair.progressUntil(() -> !pair.right.host().signals.isEmpty(), "the signal");
        assertEquals(List.of(-42L), pair.right.host().signals);
        TestPair.assertSame(source, memory.asSlice(5, length));
        pair.complete(put, flush());
        assertEquals(1, pair.right.host().signals.size());
    }

    @ParameterizedTest
    @EnumSource(AtomicOperation.class)
    void shouldChangeWordAndTellWhatWasThere(AtomicOperation operation) {
        memory.set(ValueLayout.JAVA_LONG, 64, 0b1100);
        FakeOperation atomic = atomic(operation, 0b1010, 0b1100, 64);
        pair.complete(atomic);
        assertEquals(0b1100, atomic.completedValue);
        long expected = switch (operation) {
            case ADD -> 0b1100 + 0b1010;
            case AND -> 0b1000;
            case OR -> 0b1110;
            case XOR -> 0b0110;
            case SWAP, COMPARE_SWAP -> 0b1010;
        };
        assertEquals(expected, memory.get(ValueLayout.JAVA_LONG, 64));
        FakeOperation failed = atomic(AtomicOperation.COMPARE_SWAP, 1, 999, 64);
        pair.complete(failed);
        assertEquals(expected, failed.completedValue);
        assertEquals(expected, memory.get(ValueLayout.JAVA_LONG, 64));
    }

    @Test
    void shouldTellRevokedRegion() {
        pair.right.host().regions.clear();
        FakeOperation put = put(pair.pattern(10, 1), 0);
        FakeOperation longPut = put(pair.pattern(100_000, 1), 0);
        FakeOperation signal = FakeOperation.over(pair.buffer(0)).at(REGION, 0).signal(1);
        assertTrue(left().put(signal));
        FakeOperation refused = flush();
        FakeOperation clean = flush();
        FakeOperation get = get(10, 0);
        FakeOperation longGet = get(100_000, 0);
        FakeOperation atomic = atomic(AtomicOperation.ADD, 1, 0, 0);
        pair.complete(put, longPut, signal, clean);
        pair.progressUntil(() -> refused.done() && get.done() && longGet.done() && atomic.done(), "the refusals");
        assertEquals(Status.REVOKED, refused.status);
        assertEquals(Status.REVOKED, get.status);
        assertEquals(Status.REVOKED, longGet.status);
        assertEquals(Status.REVOKED, atomic.status);
        assertEquals(List.of(), pair.right.host().signals);
    }

    @Test
    void shouldRefuseRestOfPutWhenRegionIsClosedInTheMiddle() {
        // More than the sockets of both sides can hold.
        MemorySegment target = pair.buffer(HUGE);
        pair.right.host().region(2, target);
        FakeOperation put =
                FakeOperation.over(pair.buffer(HUGE).fill((byte) 1)).at(2, 0).signal(1);
        assertTrue(left().put(put));
        FakeOperation flush = flush();
        pair.progressUntil(() -> target.get(ValueLayout.JAVA_BYTE, 1 << 20) == 1, "a part of the put");
        pair.right.host().regions.clear();
        MemorySegment then = pair.buffer(HUGE).copyFrom(target);
        assertEquals(0, then.get(ValueLayout.JAVA_BYTE, HUGE - 1));
        pair.progressUntil(flush::done, "the flush");
        assertEquals(Status.OK, put.status);
        assertEquals(Status.REVOKED, flush.status);
        assertEquals(List.of(), pair.right.host().signals);
        TestPair.assertSame(then, target);
    }

    @Test
    void shouldRefuseGetWhenRegionIsClosedInTheMiddle() {
        pair.right.host().region(2, pair.buffer(HUGE).fill((byte) 1));
        FakeOperation get = FakeOperation.over(pair.buffer(HUGE)).at(2, 0);
        assertTrue(left().get(get));
        pair.progressUntil(() -> get.buffer().get(ValueLayout.JAVA_BYTE, 1 << 20) == 1, "a part of the data");
        pair.right.host().regions.clear();
        pair.progressUntil(get::done, "the get to end");
        assertEquals(Status.REVOKED, get.status);
        FakeOperation receive = FakeOperation.over(pair.buffer(8)).tag(3);
        pair.right.host().receive(receive);
        FakeOperation send = FakeOperation.over(pair.pattern(8, 1)).tag(3);
        assertTrue(left().send(send));
        pair.complete(send, receive);
    }

    @Test
    void shouldFlushOnlyWhenEarlierGetsHaveTheirData() {
        FakeOperation get = FakeOperation.over(pair.buffer(HUGE)).at(2, 0);
        pair.right.host().region(2, pair.buffer(HUGE));
        assertTrue(left().get(get));
        FakeOperation flush = flush();
        FakeOperation shortGet = get(8, 0);
        FakeOperation second = flush();
        // Messages do not wait for gets.
        FakeOperation receive = FakeOperation.over(pair.buffer(8)).tag(3);
        pair.right.host().receive(receive);
        FakeOperation send = FakeOperation.over(pair.pattern(8, 1)).tag(3);
        assertTrue(left().send(send));
        pair.complete(send, receive);
        assertFalse(get.done());
        assertFalse(flush.done());
        assertFalse(second.done());
        pair.progressUntil(flush::done, "the flush");
        assertTrue(get.done());
        pair.complete(shortGet, second);
    }

    @Test
    void shouldFlushWhileMessagesWait() {
        FakeOperation send = FakeOperation.over(pair.pattern(100_000, 1)).tag(1);
        FakeOperation synchronous =
                FakeOperation.over(pair.pattern(10, 1)).tag(2).untilMatched();
        assertTrue(left().send(send));
        assertTrue(left().send(synchronous));
        pair.complete(put(pair.pattern(8, 1), 0), flush());
        assertFalse(send.done());
        assertFalse(synchronous.done());
    }

    @Test
    void shouldCompleteManyFlushesInTheirOrder() {
        List<FakeOperation> flushes = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            put(pair.pattern(8, i), i * 8L);
            flushes.add(flush());
        }
        for (FakeOperation flush : flushes) {
            pair.complete(flush);
        }
        assertTrue(left().isDrained());
    }

    @Test
    void shouldReadBeforePutThatAFencePutsBehind() {
        MemorySegment before = pair.buffer(LENGTH).copyFrom(memory);
        FakeOperation get = get(LENGTH, 0);
        left().fence();
        FakeOperation put = put(pair.pattern(1000, 1), LENGTH - 1000);
        FakeOperation second = get(8, LENGTH - 8);
        FakeOperation flush = flush();
        pair.complete(get, put, second, flush);
        TestPair.assertSame(before, get.buffer());
        TestPair.assertSame(put.buffer().asSlice(992), second.buffer());
    }

    @Test
    void shouldLetFenceWithoutGetsPassAtOnce() {
        FakeOperation put = put(pair.pattern(3 << 20, 1), 0);
        left().fence();
        FakeOperation overwrite = put(pair.pattern(8, 9), 0);
        left().fence();
        FakeOperation get = get(8, 0);
        left().fence();
        FakeOperation atomic = atomic(AtomicOperation.SWAP, 0, 0, 0);
        pair.complete(put, overwrite, get, atomic);
        TestPair.assertSame(overwrite.buffer(), get.buffer());
        assertEquals(overwrite.buffer().get(ValueLayout.JAVA_LONG, 0), atomic.completedValue);
    }

    @Test
    void shouldServeManyGetsOfAllLengthsAtOnce() {
        List<FakeOperation> gets = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            gets.add(get(i % 10 == 0 ? 200_000 : i, i * 13L));
        }
        for (int i = 0; i < 500; i++) {
            pair.complete(gets.get(i));
            TestPair.assertSame(
                    memory.asSlice(i * 13L, gets.get(i).length()), gets.get(i).buffer());
        }
    }

    @Test
    void shouldMoveMoreInOneDirectionWhileTheOtherIsBusyToo() {
        MemorySegment leftMemory = pair.buffer(LENGTH);
        pair.left.host().region(7, leftMemory);
        FakeOperation put = put(pair.pattern(LENGTH, 3), 0);
        FakeOperation back = FakeOperation.over(pair.pattern(LENGTH, 4)).at(7, 0);
        assertTrue(pair.right.endpoint().put(back));
        FakeOperation flush = flush();
        FakeOperation flushBack = new FakeOperation();
        assertTrue(pair.right.endpoint().flush(flushBack));
        pair.complete(put, back, flush, flushBack);
        TestPair.assertSame(put.buffer(), memory);
        TestPair.assertSame(back.buffer(), leftMemory);
    }
}
