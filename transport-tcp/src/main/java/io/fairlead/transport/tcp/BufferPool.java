package io.fairlead.transport.tcp;

import io.fairlead.spi.CloseSteps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The native buffers in which the endpoints of one worker queue their frames. An endpoint has a buffer only while
 * something is queued, and more only when its peer falls behind. Thousands of idle endpoints therefore use no memory
 * for it.
 */
final class BufferPool implements AutoCloseable {
    /** Fits the longest frame that is copied in one piece: a gathering send of 64 short parts. */
    static final int CAPACITY = 128 << 10;
    /** Enough for the concurrently busy endpoints; further buffers are freed. */
    private static final int KEPT_MAX = 32;

    /** One buffer, as a segment for filling and as a ByteBuffer for the socket. */
    static final class Buffer {
        final MemorySegment segment;
        final ByteBuffer bytes;
        private final Arena arena;
        /** The bytes from {@code head} to {@code tail} wait for the socket. */
        int head;

        int tail;
        /** The next buffer of a queue, or of the pool. */
        @Nullable Buffer next;

        private Buffer() {
            arena = Arena.ofConfined();
            segment = arena.allocate(CAPACITY, 64);
            bytes = segment.asByteBuffer();
        }
    }

    private @Nullable Buffer kept;
    private int keptCount;

    /** An empty buffer. */
    Buffer take() {
        Buffer buffer = kept;
        if (buffer == null) {
            return new Buffer();
        }
        kept = buffer.next;
        keptCount--;
        buffer.next = null;
        buffer.head = 0;
        buffer.tail = 0;
        return buffer;
    }

    void giveBack(Buffer buffer) {
        if (keptCount == KEPT_MAX) {
            buffer.arena.close();
        } else {
            buffer.next = kept;
            kept = buffer;
            keptCount++;
        }
    }

    @Override
    public void close() {
        Buffer first = kept;
        kept = null;
        keptCount = 0;
        List<Buffer> all = new ArrayList<>();
        for (Buffer buffer = first; buffer != null; buffer = buffer.next) {
            all.add(buffer);
        }
        CloseSteps.runEach(all, buffer -> buffer.arena.close());
    }
}
