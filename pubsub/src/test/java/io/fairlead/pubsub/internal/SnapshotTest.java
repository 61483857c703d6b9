package io.fairlead.pubsub.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SnapshotTest {
    private static final long EPOCH = 4711;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment message = arena.allocate(4096, 8);

    @AfterEach
    void free() {
        arena.close();
    }

    private FakeRegion region(SnapshotOptions options) {
        return new FakeRegion(SnapshotLayout.totalBytes(options));
    }

    private void store(SnapshotTable table, long key, long sequence, int length) {
        for (int i = 0; i < length; i++) {
            message.set(ValueLayout.JAVA_BYTE, i, (byte) (sequence + i));
        }
        table.store(key, sequence, message, 0, length);
    }

    private static List<Long> sequences(SnapshotEntries entries) {
        List<Long> sequences = new ArrayList<>();
        for (int i = 0; i < entries.count(); i++) {
            sequences.add(entries.sequence(i));
            for (int at = 0; at < entries.length(i); at++) {
                assertEquals(
                        (byte) (entries.sequence(i) + at),
                        entries.segment().get(ValueLayout.JAVA_BYTE, entries.valueAt(i) + at));
            }
        }
        return sequences;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 63, 100})
    void shouldTellTheLastValueOfEachKeyInOrder(int length) throws Malformed {
        SnapshotOptions options = SnapshotOptions.lastValues(4, 100);
        FakeRegion region = region(options);
        SnapshotTable table = new SnapshotTable(new TopicRegion(region), options, EPOCH);
        long[] keys = {10, 20, 10, 30, 20, 10};
        for (int i = 0; i < keys.length; i++) {
            store(table, keys[i], i + 1, length);
        }
        SnapshotEntries entries = new SnapshotEntries(options, region.segment());
        entries.select(EPOCH, 0, 100);
        assertEquals(List.of(4L, 5L, 6L), sequences(entries));
        entries.select(EPOCH, 4, 6);
        assertEquals(List.of(5L), sequences(entries), "between what is known and the stream");
    }

    @Test
    void shouldTellTheLastMessagesInOrder() throws Malformed {
        SnapshotOptions options = SnapshotOptions.lastMessages(3, 16);
        FakeRegion region = region(options);
        SnapshotTable table = new SnapshotTable(new TopicRegion(region), options, EPOCH);
        SnapshotEntries entries = new SnapshotEntries(options, region.segment());
        entries.select(EPOCH, 0, 1);
        assertEquals(List.of(), sequences(entries));
        for (long sequence = 1; sequence <= 8; sequence++) {
            store(table, 0, sequence, 16);
        }
        entries.select(EPOCH, 0, 9);
        assertEquals(List.of(6L, 7L, 8L), sequences(entries));
    }

    /** Every order in which the two halves of a table may be read while the publisher goes on between them. */
    @ParameterizedTest
    @CsvSource({"8,true", "8,false", "9,true", "9,false", "12,true", "12,false", "15,true", "15,false"})
    void shouldTellARunThatEndsWhereTheStreamBegins(long last, boolean lowerHalfFirst) throws Malformed {
        SnapshotOptions options = SnapshotOptions.lastMessages(8, 16);
        long half = SnapshotLayout.entryAt(options, 4);
        for (int meanwhile = 0; meanwhile <= 9; meanwhile++) {
            FakeRegion region = region(options);
            SnapshotTable table = new SnapshotTable(new TopicRegion(region), options, EPOCH);
            for (long sequence = 1; sequence <= last; sequence++) {
                store(table, 0, sequence, 16);
            }
            MemorySegment copy = arena.allocate(region.length(), 64);
            long early = lowerHalfFirst ? 0 : half;
            long late = half - early;
            copy.asSlice(early, half(early, half, region)).copyFrom(slice(region, early, half));
            for (long sequence = last + 1; sequence <= last + meanwhile; sequence++) {
                store(table, 0, sequence, 16);
            }
            copy.asSlice(late, half(late, half, region)).copyFrom(slice(region, late, half));
            SnapshotEntries entries = new SnapshotEntries(options, copy);
            entries.select(EPOCH, 0, last + 1);
            List<Long> told = sequences(entries);
            String when = "meanwhile=" + meanwhile;
            assertEquals(
                    LongStream.rangeClosed(last - told.size() + 1, last).boxed().toList(), told, when);
            assertTrue(told.size() >= 8 - meanwhile, () -> when + ", told=" + told);
        }
    }

    private static long half(long at, long half, FakeRegion region) {
        return at == 0 ? half : region.length() - half;
    }

    private static MemorySegment slice(FakeRegion region, long at, long half) {
        return region.segment().asSlice(at, half(at, half, region));
    }

    @Test
    void shouldLeaveOutEntriesThatAreBeingWritten() throws Malformed {
        SnapshotOptions options = SnapshotOptions.lastValues(4, 16);
        FakeRegion region = region(options);
        SnapshotTable table = new SnapshotTable(new TopicRegion(region), options, EPOCH);
        for (long sequence = 1; sequence <= 4; sequence++) {
            store(table, sequence, sequence, 16);
        }
        MemorySegment copy = arena.allocate(region.length(), 64).copyFrom(region.segment());
        long first = SnapshotLayout.entryAt(options, 0);
        long second = SnapshotLayout.entryAt(options, 1);
        long third = SnapshotLayout.entryAt(options, 2);
        copy.set(Wire.LONG, first, copy.get(Wire.LONG, first) + 1);
        copy.set(Wire.LONG, second + SnapshotLayout.VALUE_AT, 0x0123_4567_89AB_CDEFL);
        copy.set(Wire.LONG, third + SnapshotLayout.LENGTH_AT, 1 << 20);
        SnapshotEntries entries = new SnapshotEntries(options, copy);
        entries.select(EPOCH, 0, 100);
        assertEquals(List.of(4L), sequences(entries));
    }

    @Test
    void shouldRefuseAnotherPublishersMemory() {
        SnapshotOptions options = SnapshotOptions.lastMessages(4, 16);
        FakeRegion region = region(options);
        SnapshotEntries blank = new SnapshotEntries(options, region.segment());
        assertThrows(Malformed.class, () -> blank.select(EPOCH, 0, 1));
        new SnapshotTable(new TopicRegion(region), options, EPOCH);
        assertThrows(Malformed.class, () -> blank.select(EPOCH + 1, 0, 1));
    }

    /** The copy is made word by word and backwards, an order that a network may well use and that a version in front alone would not survive. */
    @Test
    void shouldNeverTakeAHalfWrittenEntryForAValue() throws Exception {
        SnapshotOptions options = SnapshotOptions.lastValues(2, 256);
        FakeRegion region = region(options);
        SnapshotTable table = new SnapshotTable(new TopicRegion(region), options, EPOCH);
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            MemorySegment value = arena.allocate(256, 8);
            for (long sequence = 1; !stop.get(); sequence++) {
                for (int at = 0; at < 256; at++) {
                    value.set(ValueLayout.JAVA_BYTE, at, (byte) (sequence + at));
                }
                table.store(sequence & 1, sequence, value, 0, 256);
            }
        });
        writer.start();
        try {
            MemorySegment copy = arena.allocate(region.length(), 64);
            SnapshotEntries entries = new SnapshotEntries(options, copy);
            int whole = 0;
            int torn = 0;
            // Both kinds must have been seen, or the case has shown nothing.
            for (int round = 0; round < 2_000 || whole < 100 || torn < 100; round++) {
                for (long at = region.length() - 8; at >= 0; at -= 8) {
                    copy.set(Wire.LONG, at, region.segment().get(Wire.LONG, at));
                }
                entries.select(EPOCH, 0, Long.MAX_VALUE);
                whole += sequences(entries).size();
                torn += 2 - entries.count();
            }
            assertTrue(whole > 0 && torn > 0);
        } finally {
            stop.set(true);
            writer.join();
        }
    }
}
