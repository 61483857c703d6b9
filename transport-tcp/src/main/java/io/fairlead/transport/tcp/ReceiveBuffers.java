package io.fairlead.transport.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The memory that the endpoints of one worker read into in turn. An endpoint that has read more frames than it may
 * handle in one turn keeps the buffer, and the others read into the next one. The last buffer cannot be kept, so there
 * is always one to read into.
 */
final class ReceiveBuffers {
    static final int BYTES = 256 << 10;
    /** The maximum number of buffers. */
    static final int COUNT_MAX = 8;
    /** The maximum read into the last buffer, because all of it is handled in one turn. */
    static final int LAST_BYTES = 8 << 10;

    /** One buffer. */
    static final class Buffer {
        final MemorySegment segment;
        final ByteBuffer bytes;

        private Buffer(Arena arena) {
            segment = arena.allocate(BYTES, 64);
            bytes = segment.asByteBuffer();
        }
    }

    private final Arena arena;
    private final @Nullable Buffer[] free = new @Nullable Buffer[COUNT_MAX];
    private int freeCount;
    private int made;

    ReceiveBuffers(Arena arena) {
        this.arena = arena;
    }

    /**
     * The buffer to read into next. Unless the caller takes it, others use it as soon as the caller returns to its
     * worker.
     */
    Buffer shared() {
        if (freeCount == 0) {
            made++;
            giveBack(new Buffer(arena));
        }
        return Objects.requireNonNull(free[freeCount - 1], "buffer");
    }

    /** Whether the shared buffer is the last one, which must not be taken. */
    boolean isLast() {
        return made == COUNT_MAX && freeCount == 1;
    }

    /** Takes the shared buffer, which the caller must return; false if it is the last one. */
    boolean tryTakeShared() {
        if (isLast()) {
            return false;
        }
        free[--freeCount] = null;
        return true;
    }

    /** Returns a taken buffer. */
    void giveBack(Buffer buffer) {
        free[freeCount++] = buffer;
    }
}
