package io.fairlead.node.internal.loop;

import io.fairlead.FairleadException;
import io.fairlead.Worker;

/** What a loop does in each turn beside progress: the receives of its node. Called on the loop's thread. */
public interface LoopWork {
    /** The loop has its worker. Called once, before everything else. */
    void started(Worker worker);

    /** Does what can be done now, and returns how much that was. */
    int turn();

    /** Whether something waits for capacity in the worker. */
    boolean isStalled();

    /** Fails everything that waits. */
    void failAll(FairleadException cause);

    /** The worker is closed. */
    void workerClosed();
}
