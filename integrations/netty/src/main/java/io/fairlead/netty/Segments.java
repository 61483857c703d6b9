package io.fairlead.netty;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Views of buffers as memory that a worker sends and receives. */
final class Segments {
    private Segments() {}

    /** A range of a direct buffer of one part. It keeps the memory reachable, but not from being given back to its allocator. */
    static MemorySegment of(ByteBuf buffer, int index, int length) {
        return of(buffer.internalNioBuffer(index, length));
    }

    /** The bytes from a buffer's position to its limit. */
    static MemorySegment of(ByteBuffer buffer) {
        return MemorySegment.ofBuffer(buffer);
    }
}
