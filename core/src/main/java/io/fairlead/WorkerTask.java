package io.fairlead;

/**
 * Work that a worker does in its own progress, for a layer above it such as publish-subscribe. The layer implements it
 * and attaches it by {@link Worker#attach}. The application only calls {@link Worker#progress()}.
 *
 * <p>Belongs to the worker's thread, which makes every call. An exception that a method throws is logged and ends only
 * that call.
 */
@FunctionalInterface
@Incubating
public interface WorkerTask {
    /**
     * Does the pending work, without waiting. Each {@link Worker#progress()} calls it once, after its completions and
     * handlers and after the tasks that were attached before this one.
     *
     * <p>It may do what a completion may: post operations, close endpoints, attach and detach tasks. {@link Worker#progress()} and
     * {@link Worker#await} throw {@link IllegalStateException} here, and closing the worker takes effect when the progress ends.
     *
     * @return the number of things done, which progress adds to its own events; 0 or less means that there was nothing
     *     to do
     */
    int run();

    /**
     * How long the worker may wait before it runs this task again. {@link Worker#await} calls it before each wait.
     * Network events and {@link Worker#wakeup()} end a wait in any case. It may do what {@link #run} may, and is bound
     * by the same rules.
     *
     * @return nanoseconds; 0 or less if there is something to do now, {@link Long#MAX_VALUE} for no limit
     */
    default long maxWaitNs() {
        return Long.MAX_VALUE;
    }

    /**
     * The worker begins to close. Its endpoints have not ended, and operations posted on them here are sent. The task
     * does not run any more. This method is bound by the rules of {@link #run}. Called once, unless the task was
     * detached before.
     */
    default void workerCloses() {}

    /**
     * The worker has closed. Its endpoints have ended and their handlers were called; the task does not run any more.
     * Called once, unless the task was detached before.
     */
    default void workerClosed() {}
}
