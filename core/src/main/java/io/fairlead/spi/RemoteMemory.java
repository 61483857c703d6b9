package io.fairlead.spi;

/** A peer's memory region, with what the transport needs to reach it. {@link TransportEndpoint#unpack} makes it. Belongs to the worker's thread. */
public interface RemoteMemory extends AutoCloseable {
    /**
     * Frees what the transport holds for the region. Called once, when the key is closed or revoked and no operation uses it any more. That may be
     * after {@link TransportEndpoint#close()}, if operations complete only after that.
     */
    @Override
    void close();
}
