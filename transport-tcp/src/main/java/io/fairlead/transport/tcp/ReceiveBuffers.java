package io.fairlead.transport.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The memory that the endpoints of one worker read into, one after the other. An endpoint that has read more frames than it may work on in one turn
 * keeps the buffer, and the others read into the next one. The last buffer cannot be kept, so that there is always one to read into.
 */
final class ReceiveBuffers {
    static final int BYTES = 256 << 10;
    /** How many buffers there are at most. */
    static final int COUNT_MAX = 8;
    /** What is read at a time into the last one, because all of it is worked on in one turn. */
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

    /** The buffer to read into next. Others use it as soon as the caller returns to its worker, unless it takes the buffer. */
    Buffer shared() {
        if (freeCount == 0) {
            made++;
            giveBack(new Buffer(arena));
        }
        return Objects.requireNonNull(free[freeCount - 1], "buffer");
    }

    /** Whether the shared buffer is the last one, which nobody may take. */
    boolean isLast() {
        return made == COUNT_MAX && freeCount == 1;
    }

    /** Takes the shared buffer, which the caller has to give back; false if it is the last one. */
    boolean tryTakeShared() {
        if (isLast()) {
            return false;
        }
        free[--freeCount] = null;
        return true;
    }

    /** Gives back a buffer that was taken. */
    void giveBack(Buffer buffer) {
        free[freeCount++] = buffer;
    }
}
