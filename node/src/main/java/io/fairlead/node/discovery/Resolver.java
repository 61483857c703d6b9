package io.fairlead.node.discovery;

import io.fairlead.FairleadException;
import java.time.Duration;

/**
 * Finds the members of one service. A node calls it on a thread of its own, one call after the other, which may block and is interrupted
 * when the node is done; nothing of a resolver runs on progress threads.
 */
public interface Resolver extends AutoCloseable {
    /**
     * Asks the registry. The first call makes the client that it needs. A resolver that is told of changes calls {@link DiscoveryContext#changed()} and is
     * asked again: what counts is what this answers, so that a change which was told twice, or not at all, does no harm.
     *
     * @param timeout how long it may take
     * @return who serves under the name now
     * @throws FairleadException if there is no answer: {@code UNKNOWN_HOST} if there is no such name, {@code TIMED_OUT},
     *     {@code CONNECTION_REFUSED}, or what fits. The node keeps the members of the last answer and asks again
     * @throws InterruptedException if the thread is interrupted
     */
    Resolution resolve(Duration timeout) throws InterruptedException;

    /** Frees what the calls have made, threads and connections included. Called once, on the same thread, which is not interrupted then. */
    @Override
    void close();
}
