package io.fairlead.transport.ucx;

import io.fairlead.spi.RegisteredMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Memory that UCX has mapped. What UCX allocated is longer by a mark, in which the owner tells those who have mapped the memory too that
 * the region is closed.
 */
final class UcxMemory implements RegisteredMemory {
    /** The mark of an open region. */
    static final long OPEN = 0x0FA1_121E_AD00_0001L;

    private static final long CLOSED = 0;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    /** The mark has a cache line of its own: it is read with every operation and must not share one with changing data. */
    private static final long LINE = 64;

    /** None where the owner serves every operation, so that UCX need not know of the memory. */
    private final @Nullable UcpMemory memory;

    private final MemorySegment segment;
    private final byte[] key;
    /** Region and mark, where UCX allocated them. */
    private final @Nullable MemorySegment whole;
    /** Ends the segment before its memory, so that a late access of this process throws instead of killing it. */
    private final @Nullable Arena scope;

    private UcxMemory(
            @Nullable UcpMemory memory,
            MemorySegment segment,
            long length,
            @Nullable MemorySegment whole,
            @Nullable Arena scope) {
        this.memory = memory;
        this.segment = segment;
        this.whole = whole;
        this.scope = scope;
        byte[] packed = memory == null ? new byte[0] : memory.packedKey();
        SharedMapping mapping = whole == null ? new SharedMapping(0, 0) : SharedMapping.here(segment.address());
        this.key = new RegionKey(whole != null, segment.address(), markOffset(length), mapping, packed).encode();
    }

    private static long markOffset(long length) {
        return Math.addExact(length, LINE - 1) & -LINE;
    }

    /** What to allocate for a region of a length. */
    static long sizeOf(long length) {
        return Math.addExact(markOffset(length), LINE);
    }

    static UcxMemory allocated(UcpMemory memory, long length) {
        Arena scope = Arena.ofShared();
        MemorySegment whole = MemorySegment.ofAddress(memory.address()).reinterpret(sizeOf(length), scope, null);
        whole.fill((byte) 0);
        WORD.setRelease(whole, markOffset(length), OPEN);
        return new UcxMemory(memory, whole.asSlice(0, length), length, whole, scope);
    }

    static UcxMemory wrapped(@Nullable UcpMemory memory, MemorySegment segment) {
        return new UcxMemory(memory, segment, segment.byteSize(), null, null);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public byte[] key() {
        return key.clone();
    }

    @Override
    public void close() {
        if (whole != null) {
            WORD.setVolatile(whole, markOffset(segment.byteSize()), CLOSED);
        }
        if (scope != null) {
            scope.close();
        }
        if (memory != null) {
            memory.unmap();
        }
    }
}
