package io.fairlead.node.discovery;

import io.fairlead.FairleadException;
import java.time.Duration;

/**
 * Finds the members of one service. A node calls it on a separate thread, one call after the other. A call may block, and is interrupted
 * when the node is done. No code of a resolver runs on progress threads.
 */
public interface Resolver extends AutoCloseable {
    /**
     * Queries the registry. The first call creates the client that it needs. A resolver that is notified of changes calls
     * {@link DiscoveryContext#changed()} and is called again. Only the answer of this call counts, so a change that is notified twice or never
     * does no harm.
     *
     * @param timeout how long it may take
     * @return the members now
     * @throws FairleadException if there is no answer: {@code UNKNOWN_HOST} if there is no such name, {@code TIMED_OUT},
     *     {@code CONNECTION_REFUSED}, or what fits. The node keeps the members of the last answer and asks again
     * @throws InterruptedException if the thread is interrupted
     */
    Resolution resolve(Duration timeout) throws InterruptedException;

    /** Frees what the calls have made, threads and connections included. Called once, on the same thread, which is not interrupted then. */
    @Override
    void close();
}
