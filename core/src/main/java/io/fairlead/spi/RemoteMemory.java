package io.fairlead.spi;

/** A peer's memory as a transport reaches it. Belongs to the worker's thread. */
public interface RemoteMemory extends AutoCloseable {
    /**
     * Frees what the transport holds. Called once, when the key is closed or revoked and no operation uses it any more; where operations end only after
     * {@link TransportEndpoint#close()}, that may be after it.
     */
    @Override
    void close();
}
