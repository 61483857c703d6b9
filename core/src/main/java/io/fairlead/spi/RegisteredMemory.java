package io.fairlead.spi;

import java.lang.foreign.MemorySegment;

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
     * Unregisters the memory, and frees it if the transport allocated it. When the call returns, no peer reaches the memory over this transport.
     * Called once.
     */
    @Override
    void close();
}
