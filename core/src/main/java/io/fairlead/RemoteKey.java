package io.fairlead;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * A memory region of an endpoint's peer, made usable by {@link Endpoint#unpack(byte[])}. Belongs to the endpoint's worker's
 * thread and ends with the endpoint. Implemented by Fairlead only.
 */
public interface RemoteKey extends AutoCloseable {
    /**
     * The remote region's size; every operation is checked against it before it leaves.
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
     * The region as memory of this process, where the path has mapped it: over shared memory, of regions that their owner has
     * {@linkplain Context#allocate allocated}. Reading it is one access, without an operation. Nothing orders it with what the owner writes meanwhile: the owner says by a message
     * when there is something to read, and learns by another when it may write there again.
     *
     * <p>Once asked for, it can be read until {@link #close()}, also after the region was revoked and after the endpoint has ended; then it keeps what the owner left there. Whoever has
     * asked closes the key.
     *
     * @return read-only memory of {@link #length()} bytes for the worker's thread, or empty: the path maps nothing
     *     ({@link Capability#MAPPED_MEMORY}), the memory was the owner's before it became a region, the key lacks {@link AccessRight#READ}, or it has ended already
     */
    Optional<MemorySegment> mapped();

    /** Frees what the key holds. It must not be used afterwards. Idempotent. */
    @Override
    void close();
}
