package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RingTest {
    private static final int GUARD = 4096;
    private static final byte CANARY = 0x5A;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment whole = arena.allocate(2L * GUARD + Ring.SIZE, 64);
    private final long base = whole.address() + GUARD;
    private final MemorySegment source = arena.allocate(Ring.PAYLOAD_MAX);
    private final MemorySegment target = arena.allocate(Ring.PAYLOAD_MAX);
    private final RingWriter writer = new RingWriter(base);
    private final RingReader reader = new RingReader(base);

    RingTest() {
        whole.asSlice(0, GUARD).fill(CANARY);
        whole.asSlice(GUARD + Ring.SIZE, GUARD).fill(CANARY);
    }

    private boolean write(int length, long tag) {
        return write(writer, length, tag);
    }

    private boolean write(RingWriter into, int length, long tag) {
        if (!into.tryClaim(length)) {
            return false;
        }
        into.put(0, source, 0, length);
        into.publish(Ring.MESSAGE, length, tag, length);
        return true;
    }

    @AfterEach
    void close() {
        for (long i = 0; i < GUARD; i++) {
            assertEquals(CANARY, whole.get(JAVA_BYTE, i), "before the ring");
            assertEquals(CANARY, whole.get(JAVA_BYTE, GUARD + Ring.SIZE + i), "behind the ring");
        }
        arena.close();
    }

    @Test
    void shouldBringWhatWasWrittenInOrderOverManyRounds() {
        Random random = new Random(1);
        ArrayDeque<int[]> expected = new ArrayDeque<>();
        int written = 0;
        while (written < 20_000) {
            if (random.nextInt(3) > 0) {
                int length = random.nextInt(1 + random.nextInt(Ring.PAYLOAD_MAX + 1));
                int seed = random.nextInt(256);
                source.asSlice(0, length).fill((byte) seed);
                if (random.nextInt(8) == 0) {
                    if (writer.tryWrite(Ring.WANTED, 1L << 33, seed)) {
                        expected.add(new int[] {Ring.WANTED, 0, seed});
                        written++;
                    }
                } else if (write(length, seed)) {
                    expected.add(new int[] {Ring.MESSAGE, length, seed});
                    written++;
                }
                if (random.nextInt(4) == 0) {
                    writer.prefetchForWrite();
                }
            } else if (reader.tryNext()) {
                assertRecord(expected.remove());
                if (random.nextBoolean()) {
                    reader.publishRead();
                }
            } else {
                assertTrue(expected.isEmpty(), "written and not here");
                reader.publishRead();
            }
        }
        while (!expected.isEmpty()) {
            assertTrue(reader.tryNext());
            assertRecord(expected.remove());
        }
        assertFalse(reader.tryNext());
        assertFalse(reader.hasRecord());
    }

    private void assertRecord(int[] record) {
        assertTrue(reader.isWellFormed());
        assertEquals(record[0], reader.kind());
        assertEquals(record[2], reader.tag());
        if (record[0] == Ring.MESSAGE) {
            assertEquals(record[1], reader.length());
            reader.copy(target, 0, record[1]);
            for (long i = 0; i < record[1]; i++) {
                assertEquals((byte) record[2], target.get(JAVA_BYTE, i));
            }
        } else {
            assertEquals(1L << 33, reader.length());
        }
        reader.advance();
    }

    @Test
    void shouldRefuseWhatThereIsNoRoomFor() {
        int count = 0;
        while (write(48, count)) {
            count++;
        }
        // All but the room for the stop behind the last one.
        assertEquals(Ring.CAPACITY / 64 - 1, count);
        assertTrue(reader.tryNext());
        reader.advance();
        assertFalse(write(48, 0), "the reader has not told yet");
        reader.publishRead();
        assertTrue(write(48, 0));
    }

    @Test
    void shouldWriteNowhereElseWhateverTheReaderClaims() {
        for (long claim : new long[] {Long.MAX_VALUE, -1, Long.MIN_VALUE, 1L << 40}) {
            RingWriter deceived = new RingWriter(base);
            Ring.MEMORY.set(JAVA_LONG, base, claim);
            for (int i = 0; i < 5_000; i++) {
                write(deceived, 1000, i);
            }
            assertFalse(write(deceived, 1000, 0), "claim=" + claim);
        }
    }

    @Test
    void shouldNotTrustRecords() {
        long first = base + Ring.RECORDS_AT;
        for (long word : new long[] {
            -1,
            77,
            (long) (Ring.PAYLOAD_MAX + 1) << 8 | Ring.MESSAGE,
            Long.MIN_VALUE | Ring.MESSAGE,
            1L << 8 | Ring.SIGNAL,
            1L << 8 | Ring.FIRST
        }) {
            Ring.MEMORY.set(JAVA_LONG, first, word);
            assertTrue(reader.tryNext());
            assertFalse(reader.isWellFormed(), "word=" + Long.toHexString(word));
        }
    }

    @Test
    void shouldNotReadBeyondTheEnd() {
        int length = 5000;
        long last = base + Ring.RECORDS_AT;
        while (write(length, 1)) {
            assertTrue(reader.tryNext());
            reader.advance();
            last += Ring.span(length);
            // The writer is not told, so that this ends before the end, where there is no room for so many bytes.
        }
        Ring.MEMORY.set(JAVA_LONG, last, (long) Ring.PAYLOAD_MAX << 8 | Ring.MESSAGE);
        assertTrue(reader.tryNext());
        assertFalse(reader.isWellFormed());
    }

    @Test
    void shouldNotFollowFillersForEver() {
        long first = base + Ring.RECORDS_AT;
        Ring.MEMORY.set(JAVA_LONG, first, Ring.FILLER);
        assertTrue(reader.tryNext());
        assertFalse(reader.isWellFormed());
    }

    @Test
    void shouldWorkBetweenTwoThreads() throws InterruptedException {
        int count = 200_000;
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread reading = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < count; i++) {
                    while (!reader.tryNext()) {
                        reader.publishRead();
                        Thread.yield();
                    }
                    assertTrue(reader.isWellFormed());
                    assertEquals(i, reader.tag());
                    assertEquals(i % 100, reader.length());
                    reader.copy(target, 0, i % 100);
                    for (int at = 0; at < i % 100; at++) {
                        assertEquals((byte) i, target.get(JAVA_BYTE, at));
                    }
                    reader.advanceAndPublish();
                }
            } catch (RuntimeException | Error thrown) {
                failure.set(thrown);
            }
        });
        for (int i = 0; i < count && failure.get() == null; i++) {
            source.asSlice(0, 100).fill((byte) i);
            while (!write(i % 100, i) && failure.get() == null) {
                Thread.yield();
            }
        }
        reading.join();
        assertEquals(null, failure.get());
    }
}
