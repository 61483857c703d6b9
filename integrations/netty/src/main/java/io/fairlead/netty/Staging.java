package io.fairlead.netty;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory into which the short buffers of one message are copied. A copy costs less than one more part costs the worker, the transport and the owner of
 * the buffer. Belongs to one message until its send has completed. On the loop's thread.
 */
final class Staging {
    /** The longest buffer that is copied, in bytes. */
    static final int COPY_MAX = 4 << 10;

    private static final int CAPACITY = 16 << 10;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(CAPACITY);
    private final MemorySegment memory = MemorySegment.ofBuffer(bytes);
    private int length;

    /** Whether a buffer of this length fits. */
    boolean hasRoom(int more) {
        return more <= CAPACITY - length;
    }

    /** Appends a range of a buffer of any kind. */
    void add(ByteBuf buffer, int index, int count) {
        if (buffer.nioBufferCount() == 1) {
            ByteBuffer source = buffer.internalNioBuffer(index, count);
            bytes.put(length, source, source.position(), count);
        } else {
            buffer.getBytes(index, bytes.slice(length, count));
        }
        length += count;
    }

    /** How many bytes are staged. */
    int length() {
        return length;
    }

    /** All of the memory; the first {@link #length()} bytes are staged. */
    MemorySegment memory() {
        return memory;
    }

    /** A range of the staged bytes. */
    MemorySegment range(int from, int to) {
        return memory.asSlice(from, to - from);
    }

    /** Begins the next message. */
    void clear() {
        length = 0;
    }
}
