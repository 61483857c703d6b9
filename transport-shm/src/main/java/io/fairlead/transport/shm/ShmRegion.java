package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.RegisteredMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

    private final MemorySegment segment;
    private final @Nullable MemoryFile file;

    private ShmRegion(MemorySegment segment, @Nullable MemoryFile file) {
        this.segment = segment;
        this.file = file;
    }

    /** Registers memory of the caller. */
    static ShmRegion of(MemorySegment segment) {
        return new ShmRegion(segment, null);
    }

    /**
     * Allocates a region with all of its pages; null if no descriptor is left for it.
     *
     * @throws FairleadException {@code REGISTRATION_FAILED} if there is no memory for it
     */
    static @Nullable ShmRegion allocate(long length) {
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
            MemoryFile file = MemoryFile.create(MappedMemory.size(length), Arena.ofShared());
            MappedMemory.mark(file.memory(), length, MappedMemory.OPEN);
            return new ShmRegion(file.memory().asSlice(0, length), file);
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
        return file == null ? NO_FILE : file.key();
    }

    /** Without a file to map, the peer sends requests. */
    @Override
    public byte[] servedKey() {
        return NO_FILE;
    }

    @Override
    public void close() {
        if (file != null) {
            // The segment ends with the file, so a late access of this process throws instead of killing it.
            CloseSteps.runAll(
                    () -> MappedMemory.mark(file.memory(), segment.byteSize(), MappedMemory.CLOSED), file::close);
        }
    }
}
