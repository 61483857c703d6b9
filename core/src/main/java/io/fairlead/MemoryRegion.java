package io.fairlead;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory of this process that peers may access with a {@link RemoteKey}. Created by {@link Context}, implemented by
 * Fairlead only. Thread-safe. Writes of peers become visible to this process's threads as the operation that wrote them
 * promises.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The maximum length of a label in characters. */
    int LABEL_MAX = 256;

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
     * The label that identifies the region to an {@link Authorizer} and in a file of rules.
     *
     * @return empty if the region was created without one
     */
    String label();

    /**
     * The key as bytes, for {@link Endpoint#unpack(byte[])} at a peer. They are opaque, versioned and checksummed. Any
     * process that has these bytes and an endpoint to this context can use the region.
     *
     * <p>If an {@link Authorizer}, a file of rules or {@code identity.regions-max} limits what peers may do, this side
     * checks each operation. A refused operation ends {@link Status#REVOKED}. Such a key works only over transports
     * whose operations can be checked. Over {@code shm} it is slower than a key of {@link #packedKey(Endpoint)}; over
     * {@code ucx} {@link Endpoint#unpack} refuses it as {@code UNSUPPORTED}.
     *
     * @return a fresh copy
     */
    byte[] packedKey();

    /**
     * The key as bytes that only the peer of one endpoint can use, on this connection. They are encrypted with a secret
     * of the connection. With {@code security.mode} off, anybody who reads the network can derive that secret.
     *
     * <p>The key grants what the {@link Authorizer} and the file of rules allow the peer, limited by the rights of the
     * region. Called on the thread of the endpoint's worker.
     *
     * @param endpoint to the peer, connected, of the context that made this region
     * @return a fresh copy, opaque, for {@link Endpoint#unpack(byte[])} at the endpoint's other end
     * @throws FairleadException {@code REFUSED} if the peer may do nothing to the region, {@code UNSUPPORTED} if it may do less than the region allows and its
     *     transport cannot be checked, {@code REVOKED} if the region is closed, {@code CLOSED} if the endpoint is not connected
     * @throws IllegalArgumentException if the endpoint is of another context
     */
    byte[] packedKey(Endpoint endpoint);

    /**
     * Revokes the key and unregisters the memory; frees it if {@link Context#allocate} allocated it. When it returns,
     * no peer can access the memory any more: later operations end {@link Status#REVOKED}. Idempotent, callable from
     * any thread. If another thread is inside a call on the memory, the memory is freed when that call returns.
     *
     * <p>If a network card serves the region, it refuses later operations of peers, and that ends their connections.
     * Notify peers before the close to avoid this.
     */
    @Override
    void close();
}
