package io.fairlead;

import java.net.InetSocketAddress;

/**
 * Accepts connections. The listener of a {@link Worker} belongs to the worker's thread; that of a node is thread-safe. Implemented by
 * Fairlead only.
 */
public interface Listener extends AutoCloseable {
    /**
     * The address at which it listens.
     *
     * @return the address with the port that was taken
     */
    InetSocketAddress address();

    /** Stops accepting connections. Endpoints that it has accepted stay; connection requests that nobody has answered end. Idempotent. */
    @Override
    void close();
}
