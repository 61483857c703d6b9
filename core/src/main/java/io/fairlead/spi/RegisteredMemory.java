package io.fairlead.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory that a transport has made reachable for peers, for one region of a context. Thread-safe. */
public interface RegisteredMemory extends AutoCloseable {
    /**
     * The memory of the whole region.
     *
     * @return what was registered, or what the transport allocated
     */
    MemorySegment segment();

    /**
     * The bytes that {@link TransportEndpoint#unpack} needs at the peer. They travel inside the region's packed key.
     *
     * @return at most 4096 bytes
     */
    byte[] key();

    /**
     * What a peer's {@link TransportEndpoint#unpack} needs where the owner is to serve every operation itself, and so checks it.
     *
     * @return as {@link #key()}; null if the peer reaches the memory without the owner, and cannot do otherwise. Unless overridden, the key if that is
     *     empty, because it then gives no access to anything
     */
    default byte @Nullable [] servedKey() {
        byte[] key = key();
        return key.length == 0 ? key : null;
    }

    /**
     * Unregisters the memory, and frees it if the transport allocated it. When the call returns, no peer reaches the memory over this transport.
     * Called once.
     */
    @Override
    void close();
}
