package io.fairlead.internal.tls;

/** Runs work that would block a worker's thread for too long. */
@FunctionalInterface
public interface TaskRunner {
    /**
     * Runs a task on another thread, and then a command in a turn of the worker.
     *
     * @param task must not throw
     * @param then runs on the worker's thread; not if the worker is closed by then
     * @throws io.fairlead.FairleadException {@code LIMIT_REACHED} if too many tasks wait
     */
    void run(Runnable task, Runnable then);
}
