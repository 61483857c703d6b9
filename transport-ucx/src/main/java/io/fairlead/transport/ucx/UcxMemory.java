package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.RegisteredMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A region. What was allocated for one is in shared memory and longer by a mark, in which the owner tells those who have mapped the
 * memory too that the region is closed.
 */
final class UcxMemory implements RegisteredMemory {
    private static final Logger LOG = LoggerFactory.getLogger(UcxMemory.class);
    private static final long OPEN = 0x0FA1_121E_AD00_0001L;
    private static final long CLOSED = 0;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    /** The mark has a cache line of its own: it is read with every operation and must not share one with changing data. */
    private static final long LINE = 64;

    private final MemorySegment segment;
    /** Where the region is, if processes of this host may map it. */
    private final @Nullable SharedFile file;
    /** For network cards. */
    private final @Nullable UcpMemory memory;

    /** UCX's own key; empty where UCX does not know of the memory. */
    private final byte[] packed;

    private UcxMemory(MemorySegment segment, @Nullable SharedFile file, @Nullable UcpMemory memory) {
        this.segment = segment;
        this.file = file;
        this.memory = memory;
        this.packed = memory == null ? new byte[0] : memory.packedKey();
    }

    private static long markOffset(long length) {
        return Math.addExact(length, LINE - 1) & -LINE;
    }

    /** The size of a region and its mark. */
    static long size(long markOffset) {
        return Math.addExact(markOffset, LINE);
    }

    /** Whether the owner of a mapped region has not closed it. No more than a look: whoever copies meanwhile harms nobody. */
    static boolean isOpen(MemorySegment all, long mark) {
        return all.get(ValueLayout.JAVA_LONG, mark) == OPEN;
    }

    /**
     * Allocates a region; null where there is no shared memory for it.
     *
     * @param context UCX's, if network cards are to reach it; else 0
     */
    static @Nullable UcxMemory allocate(long context, long length) {
        int descriptors = Descriptors.free();
        if (descriptors <= Descriptors.RESERVE) {
            LOG.warn(
                    "a region is served by its owner's progress, which is slower: length={} bytes, {}",
                    length,
                    Descriptors.shortage(descriptors));
            return null;
        }
        long markOffset = markOffset(length);
        SharedFile file;
        try {
            file = SharedFile.create(size(markOffset), Arena.ofShared());
        } catch (IOException noRoom) {
            LOG.warn(
                    "a region is served by its owner's progress, which is slower: no shared memory; length={} bytes,"
                            + " cause: {}; enlarge /dev/shm (--shm-size for a container)",
                    length,
                    noRoom.getMessage());
            return null;
        }
        WORD.setRelease(file.memory(), markOffset, OPEN);
        try {
            MemorySegment segment = file.memory().asSlice(0, length);
            return new UcxMemory(segment, file, context == 0 ? null : UcpMemory.wrap(context, segment));
        } catch (FairleadException refused) {
            file.close();
            throw refused;
        }
    }

    /**
     * Lets peers reach memory of the caller's.
     *
     * @param context UCX's, if network cards are to reach it; else 0, and the owner serves every operation
     */
    static UcxMemory wrap(long context, MemorySegment segment) {
        return new UcxMemory(segment, null, context == 0 ? null : UcpMemory.wrap(context, segment));
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public byte[] key() {
        return new RegionKey(
                        segment.address(),
                        markOffset(segment.byteSize()),
                        file == null ? new byte[0] : file.key(),
                        packed)
                .encode();
    }

    @Override
    public void close() {
        if (file != null) {
            WORD.setVolatile(file.memory(), markOffset(segment.byteSize()), CLOSED);
        }
        if (memory != null) {
            memory.unmap();
        }
        if (file != null) {
            // With it ends the segment, so that a late access of this process throws instead of killing it.
            file.close();
        }
    }
}
