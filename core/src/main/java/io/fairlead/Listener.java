package io.fairlead;

import java.net.InetSocketAddress;

/**
 * Accepts connections. That of a {@link Worker} belongs to the worker's thread, that of a node is thread-safe. Implemented by
 * Fairlead only.
 */
public interface Listener extends AutoCloseable {
    /**
     * Where it listens.
     *
     * @return the address with the port that was taken
     */
    InetSocketAddress address();

    /** Stops accepting; endpoints accepted before live on. Idempotent. */
    @Override
    void close();
}
