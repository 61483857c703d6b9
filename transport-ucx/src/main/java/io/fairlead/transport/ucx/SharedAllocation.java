package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.host.AvailableMemory;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allocates the regions of a context that peers of this host map: System V shared memory of UCX. Other memory UCX would
 * reach through the kernel, by the address in its owner, whatever is there after the region is closed. Thread-safe.
 */
final class SharedAllocation {
    private static final Logger LOG = LoggerFactory.getLogger(SharedAllocation.class);
    private static final long SAMPLE_LENGTH = 4096;

    private final long context;
    private final SharedKeyLayout layout;
    /** The number of regions whose memory is not freed, and one more while the context is open. */
    private final AtomicInteger users = new AtomicInteger(1);

    private volatile @Nullable Runnable end;

    private SharedAllocation(long context, SharedKeyLayout layout) {
        this.context = context;
        this.layout = layout;
    }

    /** The allocation of a UCX context; null if that has no System V shared memory. */
    static @Nullable SharedAllocation of(long context) {
        UcpMemory sample = UcpMemory.allocate(context, SAMPLE_LENGTH);
        if (sample == null) {
            return null;
        }
        SharedKeyLayout layout = SharedKeyLayout.of(sample.packedKey());
        sample.unmap();
        return layout == null ? null : new SharedAllocation(context, layout);
    }

    /** The layout of the regions' keys. */
    SharedKeyLayout layout() {
        return layout;
    }

    /**
     * Runs the end of UCX's context, which must follow that of its memory: now, or when a call of this process no longer
     * uses the memory of a region.
     */
    void close(Runnable endOfContext) {
        end = endOfContext;
        release();
    }

    private void release() {
        if (users.decrementAndGet() == 0) {
            Runnable last = end;
            if (last != null) {
                last.run();
            }
        }
    }

    /**
     * Allocates a region with all of its pages.
     *
     * @return null if UCX has no shared memory for it, so the owner has to serve it
     * @throws FairleadException {@code REGISTRATION_FAILED} if there is no memory for it
     */
    @Nullable UcxMemory allocate(long length) {
        Optional<String> shortage = AvailableMemory.here().shortage(length);
        if (shortage.isPresent()) {
            throw new FairleadException(
                    Reason.REGISTRATION_FAILED,
                    "cannot allocate a memory region: length=" + length + " bytes, cause: " + shortage.get()
                            + "; free memory, raise its limit, or ask for less");
        }
        UcpMemory memory = UcpMemory.allocate(context, SharedRegion.size(length));
        byte[] key = memory == null ? new byte[0] : memory.packedKey();
        if (memory == null || !layout.fits(key) || !SystemVSegment.restrict(layout.segment(key))) {
            LOG.warn(
                    "a region is served by its owner's progress, which is slower: length={} bytes, cause: UCX has no"
                            + " System V shared memory for it; see ipcs -l for its limits",
                    length);
            if (memory != null) {
                memory.unmap();
            }
            return null;
        }
        users.incrementAndGet();
        return UcxMemory.shared(layout.address(key), length, key, () -> {
            memory.unmap();
            release();
        });
    }
}
