package io.fairlead;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * A memory region of an endpoint's peer, unpacked by {@link Endpoint#unpack(byte[])}. Belongs to the thread of the
 * endpoint's worker and ends with the endpoint. Implemented by Fairlead only.
 */
public interface RemoteKey extends AutoCloseable {
    /**
     * The remote region's size; every operation is checked against it before it is sent.
     *
     * @return bytes
     */
    long length();

    /**
     * What this key allows.
     *
     * @return an immutable set
     */
    Set<AccessRight> rights();

    /**
     * Whether the owner has closed the region, as far as this side knows.
     *
     * @return true once the revocation has arrived here
     */
    boolean isRevoked();

    /**
     * The region as memory of this process, if the path has mapped it. Shared memory maps regions that their owner has
     * {@linkplain Context#allocate allocated}. A read is one memory access, without an operation. Reads are not ordered
     * with the owner's writes. The owner sends a message when there is something to read, and receives one when it may
     * write there again.
     *
     * <p>The returned memory can be read until {@link #close()}, even after the region was revoked or the endpoint has
     * ended. It then keeps the last content that the owner wrote. A caller of this method must close the key.
     *
     * @return read-only memory of {@link #length()} bytes for the worker's thread, or empty: the path maps nothing
     *     ({@link Capability#MAPPED_MEMORY}), the region is registered memory of the owner, the key lacks
     *     {@link AccessRight#READ}, or it has ended already
     */
    Optional<MemorySegment> mapped();

    /** Frees the resources of the key, which must not be used afterwards. Idempotent. */
    @Override
    void close();
}
