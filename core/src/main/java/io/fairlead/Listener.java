package io.fairlead;

import java.net.InetSocketAddress;

/** Accepts connections for a worker. Belongs to the worker's thread. Implemented by Fairlead only. */
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
