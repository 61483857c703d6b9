package io.fairlead;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory of this process that peers may reach with a {@link RemoteKey}. Made by {@link Context}, implemented by Fairlead only.
 * Thread-safe; what peers write becomes visible to this process's threads as the operation that wrote it promises.
 */
public interface MemoryRegion extends AutoCloseable {
    /**
     * The memory.
     *
     * @return the whole region, accessible from any thread until {@link #close()}
     */
    MemorySegment segment();

    /**
     * The region's size.
     *
     * @return bytes
     */
    long length();

    /**
     * What peers may do.
     *
     * @return an immutable set, never empty
     */
    Set<AccessRight> rights();

    /**
     * The bytes that make the region reachable, for {@link Endpoint#unpack(byte[])} at a peer. Opaque, versioned and
     * checksummed; whoever has them and an endpoint to this context can use the region.
     *
     * @return a fresh copy
     */
    byte[] packedKey();

    /**
     * Revokes the key and unregisters the memory; frees it if {@link Context#allocate} made it. When it returns, no peer reaches the
     * memory any more: their operations end {@link Status#REVOKED}. Where a network card serves the region, it refuses an operation that comes before the
     * peer has heard of this, and that ends the connection: tell peers first. Idempotent, callable from any thread.
     */
    @Override
    void close();
}
