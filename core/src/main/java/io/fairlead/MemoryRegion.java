package io.fairlead;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory of this process that peers may access with a {@link RemoteKey}. Made by {@link Context}, implemented by Fairlead only.
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
     * The key as bytes, for {@link Endpoint#unpack(byte[])} at a peer. They are opaque, versioned and checksummed. Anybody who has them
     * and an endpoint to this context can use the region.
     *
     * @return a fresh copy
     */
    byte[] packedKey();

    /**
     * Revokes the key and unregisters the memory; frees it if {@link Context#allocate} made it. When it returns, no peer can access the
     * memory any more: later operations end {@link Status#REVOKED}. If a network card serves the region, it refuses operations of peers
     * that do not know yet, which ends the connection: tell peers first. Idempotent, callable from any thread.
     */
    @Override
    void close();
}
