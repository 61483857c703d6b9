package io.fairlead.transport.ucx;

import io.fairlead.spi.RegisteredMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.ucp.UcpMemory;

/** Memory that UCX has mapped, and its key: the address and UCX's packed key. */
final class UcxMemory implements RegisteredMemory {
    private final UcpMemory memory;
    private final MemorySegment segment;
    private final byte[] key;
    /** Ends the segment before its memory, so that a late access of this process throws instead of killing it. */
    private final @Nullable Arena scope;

    private UcxMemory(UcpMemory memory, MemorySegment segment, @Nullable Arena scope) {
        this.memory = memory;
        this.segment = segment;
        this.scope = scope;
        ByteBuffer packed = memory.getRemoteKeyBuffer();
        this.key = ByteBuffer.allocate(Long.BYTES + packed.remaining())
                .putLong(segment.address())
                .put(packed)
                .array();
    }

    static UcxMemory allocated(UcpMemory memory, long length) {
        Arena scope = Arena.ofShared();
        MemorySegment segment =
                MemorySegment.ofAddress(memory.getAddress()).reinterpret(length, scope, null).fill((byte) 0);
        return new UcxMemory(memory, segment, scope);
    }

    static UcxMemory wrapped(UcpMemory memory, MemorySegment segment) {
        return new UcxMemory(memory, segment, null);
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
        if (scope != null) {
            scope.close();
        }
        memory.deregister();
    }
}
