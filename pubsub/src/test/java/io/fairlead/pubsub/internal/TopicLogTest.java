package io.fairlead.pubsub.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.pubsub.TopicOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TopicLogTest {
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults().withBatchBytes(1024).withBacklogBytes(4096).withMessageMax(2048);

    /** One reader that leaves a chunk only when told. */
    private static final class Reader implements TopicLog.Readers {
        final Deque<Chunk> ahead = new ArrayDeque<>();
        boolean relieves;
        int relieved;

        @Override
        public void flush() {}

        @Override
        public boolean relieve(Chunk oldest) {
            if (relieves) {
                assertSame(oldest, ahead.peek());
                leave();
                relieved++;
            }
            return relieves;
        }

        @Override
        public void added(Chunk chunk) {
            chunk.readers++;
            ahead.add(chunk);
        }

        @Override
        public void warn(String message) {
            throw new AssertionError(message);
        }

        void leave() {
            ahead.remove().readers--;
        }
    }

    private final Reader reader = new Reader();
    private final TopicLog log = new TopicLog(OPTIONS, reader);

    private long append(int length) {
        return log.append(MemorySegment.ofArray(new byte[length]), 0, length, new byte[0]);
    }

    @Test
    void shouldNumberMessagesFromOneWithoutHoles() {
        for (long sequence = 1; sequence <= 10; sequence++) {
            assertEquals(sequence, append(8));
        }
        assertEquals(10, log.lastSequence());
    }

    @Test
    void shouldGoOnAfterAMessageThatCouldNotBeRead() {
        MemorySegment small;
        MemorySegment large;
        try (Arena arena = Arena.ofConfined()) {
            small = arena.allocate(8);
            large = arena.allocate(1500);
        }
        append(8);
        assertThrows(IllegalStateException.class, () -> log.append(small, 0, 8, new byte[0]));
        assertThrows(IllegalStateException.class, () -> log.append(large, 0, 1500, new byte[0]));
        Chunk empty = reader.ahead.getLast();
        assertEquals(0, empty.used);
        assertTrue(empty.sealed);
        assertEquals(1, empty.lastSequence);
        assertEquals(2, append(8));
        assertFalse(reader.ahead.getLast().large);
        while (!reader.ahead.isEmpty()) {
            reader.leave();
        }
        assertEquals(3, append(1500));
    }

    @Test
    void shouldPutMessagesIntoABatchUntilItIsFull() {
        // A header of 16 bytes and a payload of 48: 16 frames fill a batch of 1,024 bytes exactly.
        for (int i = 0; i < 16; i++) {
            append(41);
        }
        assertEquals(1, reader.ahead.size());
        Chunk full = reader.ahead.getFirst();
        assertEquals(1024, full.used);
        assertEquals(16, full.lastSequence);
        append(41);
        assertEquals(2, reader.ahead.size());
        assertTrue(full.sealed);
    }

    @Test
    void shouldEncodeWhatWasPublished() {
        byte[] bytes = {9, 1, 2, 3, 9};
        log.append(MemorySegment.ofArray(bytes), 1, 3, new byte[0]);
        Chunk chunk = reader.ahead.getFirst();
        long word = chunk.segment.get(Wire.LONG, 0);
        assertEquals(Wire.FRAME_DATA, Wire.frameKind(word));
        assertEquals(3, Wire.payloadLength(word));
        assertEquals(1, chunk.segment.get(Wire.LONG, 8));
        assertEquals(24, chunk.used);
        assertEquals(-1, MemorySegment.ofArray(bytes).asSlice(1, 3).mismatch(chunk.segment.asSlice(16, 3)));
    }

    @Test
    void shouldGiveALargeMessageAChunkOfItsOwn() {
        append(8);
        assertEquals(2, append(1009), "one byte more than fits a batch");
        Chunk large = reader.ahead.getLast();
        assertTrue(large.large && large.sealed);
        assertEquals(Wire.FRAME_LARGE, Wire.frameKind(large.segment.get(Wire.LONG, 0)));
        assertEquals(1009, large.segment.get(Wire.LONG, 16));
        assertEquals(24 + 1009, large.used);
        append(1008);
        assertTrue(!reader.ahead.getLast().large, "the longest that fits a batch");
    }

    @Test
    void shouldRefuseWhenTheBacklogIsFull() {
        fill();
        assertEquals(4096, log.retainedBytes());
        assertEquals(0, append(1008));
        assertEquals(4, log.lastSequence());
        reader.leave();
        assertEquals(5, append(1008));
        assertEquals(0, append(0), "the last batch is full too");
    }

    private void fill() {
        for (int i = 0; i < 4; i++) {
            append(1008);
        }
    }

    @Test
    void shouldRelieveTheOldestFirst() {
        reader.relieves = true;
        for (int i = 0; i < 100; i++) {
            assertEquals(i + 1, append(1008));
            assertTrue(log.retainedBytes() <= 4096);
        }
        assertEquals(96, reader.relieved);
        assertEquals(97, reader.ahead.getFirst().lastSequence);
    }

    @Test
    void shouldRelieveAsManyAsALargeMessageNeeds() {
        reader.relieves = true;
        fill();
        assertEquals(5, append(2048));
        assertEquals(3, reader.relieved);
        assertTrue(log.retainedBytes() <= 4096);
    }

    @Test
    void shouldUseAChunkAgainThatWasRead() {
        append(1008);
        Chunk first = reader.ahead.getFirst();
        reader.leave();
        append(1008);
        assertSame(first, reader.ahead.getFirst());
    }

    @Test
    void shouldNotUseAChunkAgainThatIsPinned() {
        append(1008);
        Chunk first = reader.ahead.getFirst();
        first.pins++;
        reader.leave();
        append(1008);
        assertNotSame(first, reader.ahead.getFirst());
        log.unpin(first);
        append(1008);
        assertSame(first, reader.ahead.getLast());
    }

    @Test
    void shouldUseLargeChunksAgain() {
        append(2000);
        Chunk first = reader.ahead.getFirst();
        reader.leave();
        append(1100);
        assertSame(first, reader.ahead.getFirst());
    }

    @Test
    void shouldFreePinnedMemoryAfterTheCloseWhenItsSendsHaveEnded() {
        append(8);
        Chunk chunk = reader.ahead.getFirst();
        chunk.pins++;
        reader.leave();
        log.close();
        assertEquals(1, chunk.segment.get(Wire.LONG, 8), "the transport may still read it");
        log.unpin(chunk);
        assertThrows(IllegalStateException.class, () -> chunk.segment.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void shouldFreeEverythingElseAtTheClose() {
        fill();
        Chunk[] chunks = reader.ahead.toArray(Chunk[]::new);
        while (!reader.ahead.isEmpty()) {
            reader.leave();
        }
        log.close();
        for (Chunk chunk : chunks) {
            assertThrows(IllegalStateException.class, () -> chunk.segment.get(ValueLayout.JAVA_BYTE, 0));
        }
    }
}
