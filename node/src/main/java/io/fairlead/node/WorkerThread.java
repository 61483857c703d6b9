package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A progress thread of a node, with its worker. For layers such as publish-subscribe, whose endpoints, receives and {@link WorkerTask}s are the
 * worker's own. {@link Node#workerThread()} gives one. Thread-safe. Implemented by Fairlead only.
 */
public interface WorkerThread {
    /**
     * Runs a task on this thread, between two calls of the worker's progress, in the order of the calls of one thread.
     *
     * <p>At most 8,192 tasks and operations of other threads wait for this thread. If the queue is full, the call does what {@link BackPressure} says: with
     * {@link BackPressure#WAIT} it blocks for at most {@code node.wait-timeout}; with {@link BackPressure#FAIL} it fails at once.
     * A call on a progress thread of a node never blocks, and a call on this thread bypasses the queue: the task runs in the thread's next turn.
     * If the
     * future is cancelled before the task has begun, the task does not run.
     *
     * <p>The worker belongs to the node. The task may use it as any thread uses its own worker, and may keep it for later tasks of this thread. It must not
     * call the worker's {@code progress} or {@code await}, and must not close it: a closed worker makes no more progress, so that the node closes, and
     * what is called on the node before or after fails with a {@link FairleadException}. A task must not block, because this thread's peers make no
     * progress meanwhile.
     *
     * @param <T> the type of the result
     * @param task what to do with the worker
     * @return completes with the task's result, or with what the task threw. Fails with a {@link FairleadException}: of status
     *     {@link Status#BACK_PRESSURE} if the queue stays full, and the task does not run; of reason {@code CLOSED} if the node is closed
     */
    <T extends @Nullable Object> CompletableFuture<T> call(Function<? super Worker, ? extends T> task);

    /**
     * Whether the caller is on this thread.
     *
     * @return true inside tasks, and inside callbacks of a node that has no executor for them
     */
    boolean isCurrent();
}
