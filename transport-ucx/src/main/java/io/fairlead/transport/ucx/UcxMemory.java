package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DeferredClose;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.host.AvailableMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A region: memory of the core or its application with, for network cards, UCX's mapping of it; or a
 * segment that peers of this host map.
 */
final class UcxMemory implements RegisteredMemory {
    private static final Logger LOG = LoggerFactory.getLogger(UcxMemory.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final MemorySegment segment;
    private final byte[] key;
    private final Runnable end;
    /** Whether its peers may be made to ask the owner. */
    private final boolean served;

    private UcxMemory(MemorySegment segment, byte[] key, boolean served, Runnable end) {
        this.segment = segment;
        this.key = key;
        this.served = served;
        this.end = end;
    }

    /** A region that only its owner serves. */
    static UcxMemory served(MemorySegment segment) {
        return new UcxMemory(segment, RegionKey.none().encode(), true, () -> {});
    }

    /** A region that network cards access too, by UCX's context. */
    static UcxMemory mapped(long context, MemorySegment segment) {
        UcpMemory memory = UcpMemory.wrap(context, segment);
        byte[] key = new RegionKey(segment.address(), memory.packedKey()).encode();
        return new UcxMemory(segment, key, false, memory::unmap);
    }

    /**
     * Allocates a region, with all of its pages, that peers of this host map.
     *
     * @return null if the kernel has no segment for it, so the owner has to serve it
     * @throws FairleadException {@code REGISTRATION_FAILED} if there is no memory for it
     */
    static @Nullable UcxMemory allocate(long length) {
        Optional<String> shortage = AvailableMemory.here().shortage(length);
        if (shortage.isPresent()) {
            throw new FairleadException(
                    Reason.REGISTRATION_FAILED,
                    "cannot allocate a memory region: length=" + length + " bytes, cause: " + shortage.get()
                            + "; free memory, raise its limit, or ask for less");
        }
        SystemVSegment shared = SystemVSegment.create(SharedRegion.size(length));
        if (shared == null) {
            LOG.warn(
                    "a region is served by its owner's progress, which is slower: length={} bytes, cause: the kernel has"
                            + " no System V shared memory for it; see ipcs -l for its limits",
                    length);
            return null;
        }
        Arena arena = Arena.ofShared();
        // The segment ends before the memory, so a late access of this process throws instead of ending it.
        long address = shared.address();
        MemorySegment segment = MemorySegment.ofAddress(address).reinterpret(length, arena, _ -> shared.close());
        // The kernel would end the process at the first access to a page that it cannot back.
        segment.fill((byte) 0);
        long mark = RANDOM.nextLong() | 1;
        SharedRegion.open(address, length, mark);
        return new UcxMemory(
                segment,
                new SegmentKey(shared.number(), mark).encode(),
                true,
                () -> CloseSteps.runAll(() -> SharedRegion.close(address, length), () -> DeferredClose.close(arena)));
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
