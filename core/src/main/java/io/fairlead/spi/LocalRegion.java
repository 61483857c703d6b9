package io.fairlead.spi;

import io.fairlead.AccessRight;
import java.lang.foreign.MemorySegment;

/** A region of this context while a transport serves an operation on it. Thread-safe. */
public interface LocalRegion {
    /**
     * The memory.
     *
     * @return the whole region, safe to touch until {@link #release()}
     */
    MemorySegment segment();

    /**
     * Whether peers were given a right.
     *
     * @param right the right
     * @return whether the region was made with it
     */
    boolean allows(AccessRight right);

    /** Lets go of the region. Exactly once for each acquire, and before the transport's progress returns. */
    void release();
}
