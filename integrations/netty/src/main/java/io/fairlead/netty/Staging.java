package io.fairlead.netty;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory that the short buffers of one message are copied into: a copy costs less than what a worker, a transport and a buffer's owner spend on one more
 * part. Belongs to one message until its send has completed. On the loop's thread.
 */
final class Staging {
    /** Buffers up to this are copied. */
    static final int COPY_MAX = 4 << 10;

    private static final int CAPACITY = 16 << 10;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(CAPACITY);
    private final MemorySegment memory = MemorySegment.ofBuffer(bytes);
    private int length;

    /** Whether there is room for a buffer of this length. */
    boolean hasRoom(int more) {
        return more <= CAPACITY - length;
    }

    /** Copies a range of any kind of buffer behind what is here. */
    void add(ByteBuf buffer, int index, int count) {
        if (buffer.nioBufferCount() == 1) {
            ByteBuffer source = buffer.internalNioBuffer(index, count);
            bytes.put(length, source, source.position(), count);
        } else {
            buffer.getBytes(index, bytes.slice(length, count));
        }
        length += count;
    }

    /** How many bytes are here. */
    int length() {
        return length;
    }

    /** All of the memory, of which the first {@link #length()} bytes are in use. */
    MemorySegment memory() {
        return memory;
    }

    /** Some of the bytes that are here. */
    MemorySegment range(int from, int to) {
        return memory.asSlice(from, to - from);
    }

    /** Begins the next message. */
    void clear() {
        length = 0;
    }
}
