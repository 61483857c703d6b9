package io.fairlead;

import java.net.InetSocketAddress;

/**
 * Accepts connections. The listener of a {@link Worker} belongs to the worker's thread; the listener of a node is thread-safe. Implemented by
 * Fairlead only.
 */
public interface Listener extends AutoCloseable {
    /**
     * The address that it listens at.
     *
     * @return the address with the actual port
     */
    InetSocketAddress address();

    /** Stops accepting connections. Accepted endpoints stay open; unanswered connection requests end. Idempotent. */
    @Override
    void close();
}
