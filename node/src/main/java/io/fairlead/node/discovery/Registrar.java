package io.fairlead.node.discovery;

import io.fairlead.FairleadException;
import java.time.Duration;

/** Keeps one process registered under the name of a service. Called as a {@link Resolver} is. */
public interface Registrar extends AutoCloseable {
    /**
     * Ensures that the registry has the entry. Makes it if there is none, for instance after the registry has lost the session, and renews it
     * otherwise. The entry
     * is one that the registry drops by itself {@link DiscoveryContext#lease()} after the process has died.
     *
     * @param timeout how long it may take
     * @return how long to wait before the next call, unless {@link DiscoveryContext#changed()} is called before
     * @throws FairleadException if it could not be done. The node tries again
     * @throws InterruptedException if the thread is interrupted
     */
    Duration renew(Duration timeout) throws InterruptedException;

    /** Removes the entry, if the registry can be reached, and frees what the calls have made. Called once, on the same thread. */
    @Override
    void close();
}
