package io.fairlead.transport.ucx;

import io.fairlead.spi.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A region: memory allocated by the core or its application and, if there are network cards, UCX's mapping of it. */
final class UcxMemory implements RegisteredMemory {
    private final MemorySegment segment;
    /** For network cards. */
    private final @Nullable UcpMemory memory;

    private final byte[] key;

    private UcxMemory(MemorySegment segment, @Nullable UcpMemory memory, RegionKey key) {
        this.segment = segment;
        this.memory = memory;
        this.key = key.encode();
    }

    /** A region that only its owner serves. */
    static UcxMemory served(MemorySegment segment) {
        return new UcxMemory(segment, null, RegionKey.none());
    }

    /** A region that network cards access too, by UCX's context. */
    static UcxMemory mapped(long context, MemorySegment segment) {
        UcpMemory memory = UcpMemory.wrap(context, segment);
        return new UcxMemory(segment, memory, new RegionKey(segment.address(), memory.packedKey()));
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
        if (memory != null) {
            memory.unmap();
        }
    }
}
