package io.fairlead.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A peer's memory region, with the transport's state for accessing it. Created by {@link TransportEndpoint#unpack}.
 * Belongs to the worker's thread.
 */
public interface RemoteMemory extends AutoCloseable {
    /**
     * The region as memory of this process.
     *
     * @return read-only memory of the region's length, of the worker's thread, until {@link #close()}; null if it is
     *     not mapped here; null unless overridden
     */
    default @Nullable MemorySegment mapped() {
        return null;
    }

    /**
     * The owner has withdrawn this side's rights to the region. No further operation is posted on this memory. Posted
     * operations that can still be stopped end {@code REVOKED}, a put at the next flush. Called at most once, before
     * {@link #close()}; does nothing unless overridden.
     */
    default void withdraw() {}

    /**
     * Frees the transport's resources of the region. Called once, when the key is closed or revoked and no operation
     * uses it any more. That may be after {@link TransportEndpoint#close()}, if operations complete only after that.
     */
    @Override
    void close();
}
