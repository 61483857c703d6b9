package io.fairlead.transport.shm;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.RegisteredMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A region of this process. An allocated region is a {@link MemoryFile} followed by a mark, by which the owner reports
 * to processes with a mapping that the region is closed. Registered memory of the caller cannot be mapped by another
 * process; its owner serves every operation.
 */
final class ShmRegion implements RegisteredMemory {
    private static final Logger LOG = LoggerFactory.getLogger(ShmRegion.class);
    private static final byte[] NO_FILE = new byte[0];
    private static final Set<AccessRight> READ_ALONE = Set.of(AccessRight.READ);

    private final MemorySegment segment;
    private final @Nullable Shared shared;

    private ShmRegion(MemorySegment segment, @Nullable Shared shared) {
        this.segment = segment;
        this.shared = shared;
    }

    /** What peers can map, and the server that passes it to them. */
    private record Shared(MemoryFile file, RegionServer server, RegionKey key) {}

    /** Registers memory of the caller. */
    static ShmRegion of(MemorySegment segment) {
        return new ShmRegion(segment, null);
    }

    /**
     * Allocates a region with all of its pages; null if no descriptor is left for it.
     *
     * @throws FairleadException {@code REGISTRATION_FAILED} if there is no memory for it
     */
    static @Nullable ShmRegion allocate(RegionServer server, long length, Set<AccessRight> rights) {
        if (!MappedMemory.isPossible(length)) {
            throw new FairleadException(
                    Reason.REGISTRATION_FAILED,
                    "cannot allocate a memory region: length=" + length
                            + " bytes is longer than any file; ask for less");
        }
        int descriptors = Descriptors.free();
        if (descriptors <= Descriptors.RESERVE) {
            LOG.warn(
                    "a region is served by its owner's progress, which is slower: length={} bytes, {}",
                    length,
                    Descriptors.shortage(descriptors));
            return null;
        }
        try {
            long size = MappedMemory.size(length);
            // The kernel refuses to write what is only to be read, whatever a peer runs.
            MemoryFile file = rights.equals(READ_ALONE)
                    ? MemoryFile.createForReaders(size, Arena.ofShared())
                    : MemoryFile.create(size, Arena.ofShared());
            try {
                MappedMemory.mark(file.memory(), length, MappedMemory.OPEN);
                return new ShmRegion(file.memory().asSlice(0, length), new Shared(file, server, server.add(file)));
            } catch (IOException | RuntimeException | Error failure) {
                file.close();
                throw failure;
            }
        } catch (IOException noRoom) {
            throw new FairleadException(
                    Reason.REGISTRATION_FAILED,
                    "cannot allocate a memory region: length=" + length + " bytes, cause: " + noRoom.getMessage()
                            + "; free memory, raise its limit, or ask for less",
                    noRoom);
        }
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public byte[] key() {
        return shared == null ? NO_FILE : shared.key.bytes();
    }

    /** Without a file to map, the peer sends requests. */
    @Override
    public byte[] servedKey() {
        return NO_FILE;
    }

    @Override
    public void close() {
        Shared closing = shared;
        if (closing != null) {
            // The segment ends with the file, so a late access of this process throws instead of killing it.
            CloseSteps.runAll(
                    () -> closing.server.remove(closing.key),
                    () -> MappedMemory.mark(closing.file.memory(), segment.byteSize(), MappedMemory.CLOSED),
                    closing.file::close);
        }
    }
}
