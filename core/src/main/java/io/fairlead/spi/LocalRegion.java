package io.fairlead.spi;

import io.fairlead.AccessRight;
import java.lang.foreign.MemorySegment;

/** A memory region of this context that {@link EndpointHost#acquireRegion} keeps open while a transport serves an operation of a peer on it. Thread-safe. */
public interface LocalRegion {
    /**
     * The memory of the whole region.
     *
     * @return native memory, safe to touch until {@link #release()}
     */
    MemorySegment segment();

    /**
     * Whether peers have a right on the region.
     *
     * @param right the right
     * @return true if the region was created with it
     */
    boolean allows(AccessRight right);

    /**
     * Whether the requesting peer has a right. The owner may grant a peer less than the region's rights; an operation
     * without the right is answered as if the region were closed.
     *
     * @param right the right, which the region {@linkplain #allows allows}
     * @return true unless overridden
     */
    default boolean isGranted(AccessRight right) {
        return true;
    }

    /**
     * Releases the region, which may then be freed. The transport calls this exactly once per acquire, before its
     * progress returns.
     */
    void release();
}
