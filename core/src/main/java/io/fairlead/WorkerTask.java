package io.fairlead;

/**
 * Work that a worker does in its own progress, for a layer on top of it such as publish and subscribe. Implemented by that layer, and
 * attached by {@link Worker#attach}; an application then calls {@link Worker#progress()} and nothing else.
 *
 * <p>Belongs to the worker's thread, which makes every call. What a method throws is logged and ends nothing but that call.
 */
@FunctionalInterface
@Incubating
public interface WorkerTask {
    /**
     * Does what there is to do, without waiting. Each {@link Worker#progress()} calls it once, after the completions and handlers of that
     * progress and after the tasks that were attached before this one.
     *
     * <p>It may do what a completion may: post operations, close endpoints, attach and detach tasks. {@link Worker#progress()} and
     * {@link Worker#await} throw {@link IllegalStateException} here, and closing the worker takes effect when the progress ends.
     *
     * @return how many things were done, which progress adds to its own events; 0 or less means that nothing was to be done
     */
    int run();

    /**
     * How long the worker may wait before it runs this task again. {@link Worker#await} asks before each wait. What arrives over the network
     * and {@link Worker#wakeup()} end a wait in any case. It may do what {@link #run} may, and is bound by the same rules.
     *
     * @return nanoseconds; 0 or less if there is something to do now, {@link Long#MAX_VALUE} for no limit
     */
    default long maxWaitNs() {
        return Long.MAX_VALUE;
    }

    /**
     * Tells that the worker begins to close. Its endpoints have not ended, and what is posted on them here is sent; the task does not run any more, and is
     * bound by the rules of {@link #run}. Called once, unless the task was detached before.
     */
    default void workerCloses() {}

    /**
     * Tells that the worker has closed. Its endpoints have ended and their handlers were told; the task does not run any more. Called once, unless the
     * task was detached before.
     */
    default void workerClosed() {}
}
