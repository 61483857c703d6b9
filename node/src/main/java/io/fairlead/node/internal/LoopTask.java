package io.fairlead.node.internal;

import io.fairlead.FairleadException;

/** Something that any thread hands to a progress thread. Exactly one of the two methods is called, once. */
interface LoopTask {
    /** Does it, on the loop's thread. */
    void accept(ProgressLoop loop);

    /** The loop has ended or does not take it; called on the thread that found out. */
    void refuse(FairleadException cause);
}
