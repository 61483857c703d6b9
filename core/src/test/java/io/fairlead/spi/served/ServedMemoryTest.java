package io.fairlead.spi.served;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Both sides together, over channels of every kind. */
@Timeout(60)
final class ServedMemoryTest {
    private static final long REGION = 0xABCDEF12345678L;
    private static final long CLOSED = 9;
    private static final int LENGTH = 4096;

    /** What a channel may be like. */
    private enum Channel {
        /** Every request is answered, and gets are cut by the asker. */
        COPYING(new ServedLimits(100, 100, 100, 8, 1), Integer.MAX_VALUE, Integer.MAX_VALUE),
        /** Few requests are answered, the owner cuts gets, and long data is read where it is. */
        BORROWING(new ServedLimits(128, 16, Long.MAX_VALUE, 64, 32), Integer.MAX_VALUE, 7),
        /** The smallest there can be. */
        SMALLEST(new ServedLimits(1, 1, 1, 1, 1), 1, 1),
        /** Full after each message. */
        NARROW(new ServedLimits(64, 64, Long.MAX_VALUE, 16, 16), 1, 5),
        WIDE(new ServedLimits(1 << 20, 1 << 20, Long.MAX_VALUE, 8192, 4096), Integer.MAX_VALUE, Integer.MAX_VALUE);

        private final ServedLimits limits;
        private final int room;
        private final int piece;

        Channel(ServedLimits limits, int room, int piece) {
            this.limits = limits;
            this.room = room;
            this.piece = piece;
        }

        FakePair pair() {
            FakePair pair = new FakePair(limits);
            pair.asker.room = room;
            pair.owner.room = room;
            pair.piece = piece;
            return pair;
        }
    }

    private static Stream<Arguments> lengths() {
        return Stream.of(Channel.values())
                .flatMap(channel -> IntStream.of(0, 1, 8, 16, 17, 99, 100, 101, 128, 129, 1000)
                        .mapToObj(length -> Arguments.of(channel, length)));
    }

    private static FakeOperation put(FakePair pair, MemorySegment source, long at) {
        FakeOperation put = FakeOperation.over(source).at(REGION, at);
        pair.asker.requester.put(put);
        return put;
    }

    private static FakeOperation get(FakePair pair, long region, long length, long at) {
        FakeOperation get = FakeOperation.over(pair.arena.allocate(length)).at(region, at);
        pair.asker.requester.get(get);
        return get;
    }

    private static FakeOperation flush(FakePair pair) {
        FakeOperation flush = new FakeOperation();
        pair.asker.requester.flush(flush);
        return flush;
    }

    private static FakeOperation atomic(FakePair pair, AtomicOperation operation, long operand, long compare) {
        FakeOperation atomic = FakeOperation.word(operation, operand, compare).at(REGION, 64);
        pair.asker.requester.atomic(atomic);
        return atomic;
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void shouldPutAndGet(Channel channel, int length) {
        try (FakePair pair = channel.pair()) {
            MemorySegment memory = pair.pattern(LENGTH, 7);
            pair.owner.host.region(REGION, memory);
            MemorySegment source = pair.pattern(length + 3, 3);
            FakeOperation put = FakeOperation.over(source, 2, length).at(REGION, 1001);
            pair.asker.requester.put(put);
            pair.complete(put, flush(pair));
            assertEquals(length, put.completedLength);
            assertEquals(-1, source.asSlice(2, length).mismatch(memory.asSlice(1001, length)));
            assertEquals(-1, memory.asSlice(0, 1001).mismatch(pair.pattern(1001, 7)), "in front of it");

            MemorySegment target = pair.arena.allocate(length + 5);
            FakeOperation get = FakeOperation.over(target, 3, length).at(REGION, 1001);
            pair.asker.requester.get(get);
            pair.complete(get);
            assertEquals(length, get.completedLength);
            assertEquals(-1, target.asSlice(3, length).mismatch(memory.asSlice(1001, length)));
            assertTrue(pair.asker.requester.isIdle());
        }
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void shouldSignalOnceAndBehindTheData(Channel channel, int length) {
        try (FakePair pair = channel.pair()) {
            MemorySegment memory = pair.arena.allocate(LENGTH);
            MemorySegment source = pair.pattern(length, 3);
            pair.owner.host.region(REGION, memory);
            pair.owner.host.onSignal =
                    _ -> assertEquals(-1, memory.asSlice(5, length).mismatch(source));
            FakeOperation put = FakeOperation.over(source).at(REGION, 5).signal(-42);
            pair.asker.requester.put(put);
            pair.complete(put);
            assertEquals(List.of(-42L), pair.owner.host.signals);
        }
    }

    @ParameterizedTest
    @EnumSource(AtomicOperation.class)
    void shouldChangeWordAndTellWhatWasThere(AtomicOperation operation) {
        try (FakePair pair = Channel.COPYING.pair()) {
            MemorySegment memory = pair.arena.allocate(LENGTH, 8);
            memory.set(ValueLayout.JAVA_LONG, 64, 0b1100);
            pair.owner.host.region(REGION, memory);
            FakeOperation atomic = atomic(pair, operation, 0b1010, 0b1100);
            pair.complete(atomic);
            assertEquals(0b1100, atomic.completedValue);
            assertEquals(Long.BYTES, atomic.completedLength);
            long expected = switch (operation) {
                case ADD -> 0b1100 + 0b1010;
                case AND -> 0b1000;
                case OR -> 0b1110;
                case XOR -> 0b0110;
                case SWAP, COMPARE_SWAP -> 0b1010;
            };
            assertEquals(expected, memory.get(ValueLayout.JAVA_LONG, 64));
        }
    }

    @ParameterizedTest
    @EnumSource(Channel.class)
    void shouldTellOfARefusedPutWithTheNextFlushOnly(Channel channel) {
        try (FakePair pair = channel.pair()) {
            pair.owner.host.region(REGION, pair.arena.allocate(LENGTH));
            FakeOperation before = put(pair, pair.pattern(300, 1), 0);
            FakeOperation clean = flush(pair);
            FakeOperation put =
                    FakeOperation.over(pair.pattern(300, 1)).at(CLOSED, 0).signal(1);
            pair.asker.requester.put(put);
            FakeOperation get = get(pair, REGION, 300, 0);
            FakeOperation refused = flush(pair);
            FakeOperation after = flush(pair);
            put(pair, pair.pattern(3, 1), 0);
            FakeOperation last = flush(pair);
            pair.complete(before, clean, put, get, after, last);
            assertEquals(Status.REVOKED, refused.status);
            assertEquals(List.of(), pair.owner.host.signals);
        }
    }

    @ParameterizedTest
    @EnumSource(Channel.class)
    void shouldRevokeGetsAndAtomicsOnAClosedRegion(Channel channel) {
        try (FakePair pair = channel.pair()) {
            FakeOperation shortGet = get(pair, CLOSED, 8, 0);
            FakeOperation longGet = get(pair, CLOSED, 1000, 0);
            FakeOperation empty = get(pair, CLOSED, 0, 0);
            FakeOperation atomic = atomic(pair, AtomicOperation.ADD, 1, 0);
            FakeOperation flush = flush(pair);
            pair.complete(flush);
            for (FakeOperation operation : List.of(shortGet, longGet, empty, atomic)) {
                assertEquals(Status.REVOKED, operation.status);
                assertEquals(0, operation.completedLength);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Channel.class,
            names = {"BORROWING", "NARROW", "SMALLEST"})
    void shouldRevokeAGetWhoseRegionIsClosedInTheMiddle(Channel channel) {
        try (FakePair pair = channel.pair()) {
            pair.owner.host.region(REGION, pair.pattern(LENGTH, 1));
            pair.owner.host.region(2, pair.pattern(LENGTH, 1));
            FakeOperation get = get(pair, REGION, LENGTH, 0);
            for (int i = 0; i < 5; i++) {
                pair.turn();
            }
            assertFalse(get.isDone());
            pair.owner.host.close(REGION);
            FakeOperation other = get(pair, 2, 100, 0);
            pair.complete(other);
            assertEquals(Status.REVOKED, get.status);
        }
    }

    @Test
    void shouldRevokeAGetWhoseRegionIsClosedWhileTheChannelReadsIt() {
        try (FakePair pair = Channel.BORROWING.pair()) {
            pair.owner.host.region(REGION, pair.pattern(LENGTH, 1));
            FakeOperation get = get(pair, REGION, LENGTH, 0);
            pair.owner.receive(pair.asker.sent.remove(), 7);
            assertTrue(pair.owner.isBorrowing());
            pair.owner.host.close(REGION);
            pair.owner.finish(true);
            pair.settle();
            assertEquals(Status.REVOKED, get.status);
        }
    }

    @Test
    void shouldRefuseThePutWhoseRegionIsClosedInTheMiddle() {
        try (FakePair pair = Channel.NARROW.pair()) {
            MemorySegment memory = pair.arena.allocate(LENGTH);
            pair.owner.host.region(REGION, memory);
            FakeOperation put =
                    FakeOperation.over(pair.pattern(LENGTH, 1)).at(REGION, 0).signal(1);
            pair.asker.requester.put(put);
            pair.turn();
            pair.turn();
            pair.owner.host.close(REGION);
            FakeOperation flush = flush(pair);
            pair.complete(put);
            assertEquals(Status.REVOKED, flush.status);
            assertEquals(List.of(), pair.owner.host.signals);
            assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, LENGTH - 1L));
        }
    }

    @ParameterizedTest
    @EnumSource(Channel.class)
    void shouldReadBeforeThePutThatAFencePutsBehind(Channel channel) {
        try (FakePair pair = channel.pair()) {
            MemorySegment memory = pair.pattern(LENGTH, 5);
            pair.owner.host.region(REGION, memory);
            FakeOperation get = get(pair, REGION, LENGTH, 0);
            pair.asker.requester.fence();
            FakeOperation put = put(pair, pair.pattern(100, 9), LENGTH - 100);
            pair.complete(get, put, flush(pair));
            assertEquals(-1, get.buffer().mismatch(pair.pattern(LENGTH, 5)));
        }
    }

    @ParameterizedTest
    @EnumSource(Channel.class)
    void shouldKeepTheWindow(Channel channel) {
        try (FakePair pair = channel.pair()) {
            pair.asker.room = Integer.MAX_VALUE;
            pair.owner.host.region(REGION, pair.arena.allocate(LENGTH));
            for (int i = 0; i < 3 * channel.limits.window(); i++) {
                put(pair, pair.pattern(1, 1), 0);
                get(pair, REGION, 1, 0);
            }
            assertEquals(channel.limits.window(), pair.asker.sent.size());
            FakeOperation flush = flush(pair);
            pair.complete(flush);
        }
    }

    @ParameterizedTest
    @EnumSource(Channel.class)
    void shouldDoAsIfEverythingWereDoneInOrder(Channel channel) {
        for (int seed = 0; seed < 20; seed++) {
            try (FakePair pair = channel.pair()) {
                doAsIfInOrder(pair, new Random(seed));
            }
        }
    }

    private static void doAsIfInOrder(FakePair pair, Random random) {
        MemorySegment memory = pair.pattern(LENGTH, 5);
        pair.owner.host.region(REGION, memory);
        MemorySegment model = pair.pattern(LENGTH, 5);
        List<FakeOperation> gets = new ArrayList<>();
        List<MemorySegment> expected = new ArrayList<>();
        List<FakeOperation> others = new ArrayList<>();
        long signals = 0;
        for (int i = 0; i < 200; i++) {
            int length = random.nextInt(random.nextBoolean() ? 20 : 300);
            int at = random.nextInt(LENGTH - length);
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    MemorySegment source = pair.pattern(length, i);
                    FakeOperation put = FakeOperation.over(source).at(REGION, at);
                    if (random.nextBoolean()) {
                        put.signal(signals++);
                    }
                    pair.asker.requester.put(put);
                    others.add(put);
                    MemorySegment.copy(source, 0, model, at, length);
                }
                case 2 -> {
                    gets.add(get(pair, REGION, length, at));
                    expected.add(pair.arena.allocate(length).copyFrom(model.asSlice(at, length)));
                    // Without it a put behind the get may be in its data.
                    pair.asker.requester.fence();
                }
                case 3 -> {
                    FakeOperation add = atomic(pair, AtomicOperation.ADD, i, 0);
                    long before = model.get(ValueLayout.JAVA_LONG, 64);
                    model.set(ValueLayout.JAVA_LONG, 64, before + i);
                    add.whenDone(() -> assertEquals(before, add.completedValue));
                    others.add(add);
                }
                case 4 -> {
                    List<FakeOperation> before = List.copyOf(gets);
                    FakeOperation flush = new FakeOperation()
                            .whenDone(() -> assertTrue(
                                    before.stream().allMatch(FakeOperation::isDone), "a flush has overtaken a get"));
                    pair.asker.requester.flush(flush);
                    others.add(flush);
                }
                default -> {
                    pair.asker.room = 1 + random.nextInt(4);
                    pair.owner.room = 1 + random.nextInt(4);
                    pair.turn();
                }
            }
        }
        others.add(flush(pair));
        pair.complete(others.toArray(FakeOperation[]::new));
        pair.complete(gets.toArray(FakeOperation[]::new));
        for (int i = 0; i < gets.size(); i++) {
            assertEquals(-1, gets.get(i).buffer().mismatch(expected.get(i)), "get " + i);
        }
        assertEquals(-1, memory.mismatch(model));
        assertEquals(
                LongStream.range(0, signals).boxed().toList(),
                pair.owner.host.signals,
                "signals, each once and in the order of their puts");
        assertNull(pair.owner.failure);
    }
}
