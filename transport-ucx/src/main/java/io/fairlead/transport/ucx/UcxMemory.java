package io.fairlead.transport.ucx;

import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DeferredClose;
import io.fairlead.spi.RegisteredMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A region: memory of the core or its application with, for network cards, UCX's mapping of it; or memory that UCX has
 * allocated for peers of this host.
 */
final class UcxMemory implements RegisteredMemory {
    private final MemorySegment segment;
    private final byte[] key;
    private final Runnable end;
    /** Whether its peers may be made to ask the owner. */
    private final boolean served;

    private UcxMemory(MemorySegment segment, RegionKey key, boolean served, Runnable end) {
        this.segment = segment;
        this.key = key.encode();
        this.served = served;
        this.end = end;
    }

    /** A region that only its owner serves. */
    static UcxMemory served(MemorySegment segment) {
        return new UcxMemory(segment, RegionKey.none(), true, () -> {});
    }

    /** A region that network cards access too, by UCX's context. */
    static UcxMemory mapped(long context, MemorySegment segment) {
        UcpMemory memory = UcpMemory.wrap(context, segment);
        return new UcxMemory(segment, new RegionKey(segment.address(), memory.packedKey()), false, memory::unmap);
    }

    /**
     * A region that UCX has allocated, and that peers of this host map.
     *
     * @param address its first byte
     * @param length bytes
     * @param packed UCX's key
     * @param free frees the memory, on any thread, once no call of this process uses it
     */
    static UcxMemory shared(long address, long length, byte[] packed, Runnable free) {
        Arena arena = Arena.ofShared();
        // The segment ends before the memory, so a late access of this process throws instead of ending it.
        MemorySegment segment = MemorySegment.ofAddress(address).reinterpret(length, arena, _ -> free.run());
        // The kernel would end the process at the first access to a page that it cannot back.
        segment.fill((byte) 0);
        SharedRegion.mark(address, length, true);
        return new UcxMemory(
                segment,
                new RegionKey(address, packed),
                true,
                () -> CloseSteps.runAll(
                        () -> SharedRegion.mark(address, length, false), () -> DeferredClose.close(arena)));
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
    public byte @Nullable [] servedKey() {
        return served ? RegionKey.none().encode() : null;
    }

    @Override
    public void close() {
        end.run();
    }
}
