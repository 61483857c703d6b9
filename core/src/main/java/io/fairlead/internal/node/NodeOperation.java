package io.fairlead.internal.node;

import io.fairlead.Completion;
import org.jspecify.annotations.Nullable;

/**
 * What a caller waits for, what the loop is handed, and what the engine completes, in one object: an operation allocates
 * this and little else.
 */
abstract class NodeOperation<T> extends NodeFuture<T> implements Completion, LoopTask, Delivery {
    /** Links of the operations that the engine has, on the loop's thread. */
    @Nullable NodeOperation<?> previous;

    @Nullable NodeOperation<?> next;

    /** Ends the operation through the loop, on its thread. */
    abstract void fail(ProgressLoop loop, Throwable cause);
}
