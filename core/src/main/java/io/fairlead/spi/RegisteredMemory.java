package io.fairlead.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory that a transport has registered for access by peers, for one region of a context. Thread-safe. */
public interface RegisteredMemory extends AutoCloseable {
    /**
     * The memory of the whole region.
     *
     * @return the registered or allocated memory
     */
    MemorySegment segment();

    /**
     * The bytes that {@link TransportEndpoint#unpack} needs at the peer. They are part of the region's packed key.
     *
     * @return at most 4096 bytes
     */
    byte[] key();

    /**
     * The bytes that a peer's {@link TransportEndpoint#unpack} needs if the owner is to serve, and so to check, every
     * operation itself.
     *
     * @return as {@link #key()}; null if the peer always accesses the memory without the owner. The default is the key
     *     if that is empty, because an empty key grants no direct access
     */
    default byte @Nullable [] servedKey() {
        byte[] key = key();
        return key.length == 0 ? key : null;
    }

    /**
     * Unregisters the memory, and frees it if the transport allocated it. When the call returns, no peer can access the
     * memory over this transport. Called once.
     */
    @Override
    void close();
}
