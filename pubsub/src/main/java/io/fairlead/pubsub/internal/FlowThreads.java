package io.fairlead.pubsub.internal;

import java.util.concurrent.Executor;

/** Where the other side of a flow is called unless the application says otherwise. */
public final class FlowThreads {
    /** A thread for each run of signals, so that a subscriber may block and holds up no other. */
    public static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("fairlead-flow").start(task);

    private FlowThreads() {}
}
