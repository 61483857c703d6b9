package io.fairlead.spi;

/** A peer's memory as a transport reaches it. Belongs to the worker's thread. */
public interface RemoteMemory extends AutoCloseable {
    /** Frees what the transport holds; called once, before the endpoint is closed. */
    @Override
    void close();
}
