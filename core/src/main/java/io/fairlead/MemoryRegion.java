package io.fairlead;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory of this process that peers may access with a {@link RemoteKey}. Made by {@link Context}, implemented by Fairlead only.
 * Thread-safe; what peers write becomes visible to this process's threads as the operation that wrote it promises.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The most characters of a label. */
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
     * What an {@link Authorizer} and a file of rules know the region by.
     *
     * @return empty unless it was made with one
     */
    String label();

    /**
     * The key as bytes, for {@link Endpoint#unpack(byte[])} at a peer. They are opaque, versioned and checksummed. Anybody who has them
     * and an endpoint to this context can use the region.
     *
     * <p>Where an {@link Authorizer}, a file of rules or {@code identity.regions-max} decides what peers may do, this side checks each operation, and
     * an operation that the peer may not do ends {@link Status#REVOKED}. Such a key works by the transports that can be checked alone; over {@code shm} it is slower than a key of
     * {@link #packedKey(Endpoint)}, and over {@code ucx} {@link Endpoint#unpack} refuses it as {@code UNSUPPORTED}.
     *
     * @return a fresh copy
     */
    byte[] packedKey();

    /**
     * The key as bytes that the peer of one endpoint can use, on this connection, and nobody else: they are encrypted with a secret of the connection. Where {@code security.mode} is off, that
     * secret is none for whoever reads the network.
     *
     * <p>The key allows what the {@link Authorizer} and the file of rules give the peer, and no more than the region was made with. On the thread of the endpoint's worker.
     *
     * @param endpoint to the peer, connected, of the context that made this region
     * @return a fresh copy, opaque, for {@link Endpoint#unpack(byte[])} at the endpoint's other end
     * @throws FairleadException {@code REFUSED} if the peer may do nothing to the region, {@code UNSUPPORTED} if it may do less than the region allows and its
     *     transport cannot be checked, {@code REVOKED} if the region is closed, {@code CLOSED} if the endpoint is not connected
     * @throws IllegalArgumentException if the endpoint is of another context
     */
    byte[] packedKey(Endpoint endpoint);

    /**
     * Revokes the key and unregisters the memory; frees it if {@link Context#allocate} made it. When it returns, no peer can access the
     * memory any more: later operations end {@link Status#REVOKED}. If a network card serves the region, it refuses operations of peers
     * that do not know yet, which ends the connection: tell peers first. Idempotent, callable from any thread, also while another is inside a call on the memory:
     * it is freed when that call returns.
     */
    @Override
    void close();
}
