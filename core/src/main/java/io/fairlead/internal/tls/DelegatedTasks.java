package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads for the public-key computations of a context's TLS engines. They end after an idle period. */
final class DelegatedTasks implements AutoCloseable {
    private static final int THREADS_MAX = 4;
    private static final int WAITING_MAX = 4096;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;

    DelegatedTasks() {
        int threads = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, THREADS_MAX);
        executor = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX),
                task -> Thread.ofPlatform().name("fairlead-tls").daemon().unstarted(task));
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs a task as soon as possible.
     *
     * @throws FairleadException {@code LIMIT_REACHED} if too many wait; {@code CLOSED} after {@link #close()}
     */
    void run(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException full) {
            throw executor.isShutdown()
                    ? new FairleadException(Reason.CLOSED, "context is closed", full)
                    : new FairleadException(
                            Reason.LIMIT_REACHED, "too many TLS handshakes at once: limit=" + WAITING_MAX, full);
        }
    }

    /** Ends the threads; waiting tasks are dropped. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
