package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One of a node's progress threads, for layers such as publish-subscribe that make endpoints, receives and {@link WorkerTask}s of its
 * worker. Thread-safe. Implemented by Fairlead only.
 */
public interface WorkerThread {
    /**
     * Runs a task on this thread, between two calls of the worker's progress, in the order of the calls of one thread.
     *
     * <p>The task goes through the bounded queue that operations take: where that is full, the call does what {@link BackPressure} says. A task that
     * is called on this thread runs in its next turn. Cancelling the future before the task has begun leaves the task out.
     *
     * <p>The worker is the node's. The task may use it as any thread uses its own worker, may keep it for later tasks of this thread, and
     * must neither close it nor call its {@code progress} and {@code await}. A task must not block, because this thread's peers make no
     * progress meanwhile.
     *
     * @param <T> what the task answers
     * @param task what to do with the worker
     * @return the answer, or what the task threw; fails with {@link Status#BACK_PRESSURE} if there is no room, and with a
     *     {@link FairleadException} of reason {@code CLOSED} if the node is closed
     */
    <T extends @Nullable Object> CompletableFuture<T> call(Function<? super Worker, ? extends T> task);

    /**
     * Whether the caller is on this thread.
     *
     * @return true inside of tasks, and inside of callbacks of a node that has no executor for them
     */
    boolean isCurrent();
}
