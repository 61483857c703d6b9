package io.fairlead.pubsub;

import io.fairlead.pubsub.internal.FlowThreads;
import io.fairlead.pubsub.internal.Limits;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;

/**
 * How a topic is connected to {@link Flow}. Immutable; start from {@link #defaults()}.
 *
 * @param executor where the other side is called: {@code onSubscribe}, {@code onNext}, {@code onComplete} and {@code onError} of a
 *     {@link Flow.Subscriber}, {@code request} and {@code cancel} of a {@link Flow.Subscription}. One call at a time for each stream, on whichever thread the
 *     executor has, where it may block. An executor that runs tasks in the calling thread runs them on the node's progress thread, which must not block. Not closed by Fairlead
 * @param elementsMax elements that wait at most, 1 to 65,536: those mapped from messages and not signalled yet, which are never more than was
 *     requested, or those requested of a {@link Flow.Publisher} and not published yet
 */
public record FlowOptions(Executor executor, int elementsMax) {
    private static final FlowOptions DEFAULTS = new FlowOptions(FlowThreads.VIRTUAL, 256);

    /** Checks the ranges. */
    public FlowOptions {
        Objects.requireNonNull(executor, "executor");
        Limits.range("elementsMax", elementsMax, 1, 1 << 16, "elements");
    }

    /**
     * A virtual thread for each run of signals, 256 elements.
     *
     * @return always the same
     */
    public static FlowOptions defaults() {
        return DEFAULTS;
    }

    /**
     * A copy with another executor.
     *
     * @param value where the other side is called
     * @return the copy
     */
    public FlowOptions withExecutor(Executor value) {
        return new FlowOptions(value, elementsMax);
    }

    /**
     * A copy with another number of elements.
     *
     * @param value elements that wait at most
     * @return the copy
     */
    public FlowOptions withElementsMax(int value) {
        return new FlowOptions(executor, value);
    }
}
