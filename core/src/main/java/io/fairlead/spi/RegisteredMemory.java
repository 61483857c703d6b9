package io.fairlead.spi;

import java.lang.foreign.MemorySegment;

/** Memory that a transport made reachable for peers. Thread-safe. */
public interface RegisteredMemory extends AutoCloseable {
    /**
     * The memory.
     *
     * @return the whole of it
     */
    MemorySegment segment();

    /**
     * What a peer's {@link TransportEndpoint#unpack} needs; travels inside the region's packed key.
     *
     * @return at most 4096 bytes
     */
    byte[] key();

    /** Unregisters, and frees what the transport allocated. Called once. When it returns, no peer reaches the memory over this transport. */
    @Override
    void close();
}
