package io.fairlead.testkit.contract;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A side on a thread of its own, for cases about threads, waiting and stalls. The thread makes progress and waits in turn, and runs the tasks of a case
 * between two calls of progress. Thread-safe.
 */
public final class PeerThread implements AutoCloseable {
    private static final long DEADLINE_S = 60;
    private static final long WAIT_NS = Duration.ofMillis(5).toNanos();

    private final Queue<Consumer<Side>> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean running = new AtomicBoolean(true);
    private final AtomicBoolean idle = new AtomicBoolean();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
    private final Thread thread;

    /** Opens the side on its own thread. */
    PeerThread(String name, Supplier<Side> opener) {
        thread = Thread.ofPlatform().name("peer-" + name).start(() -> run(opener));
    }

    private void run(Supplier<Side> opener) {
        try {
            Side side = opener.get();
            try {
                address.complete(side.listener().address());
                while (running.get() || !tasks.isEmpty()) {
                    Consumer<Side> task = tasks.poll();
                    if (task != null) {
                        task.accept(side);
                    }
                    if (!idle.get() && side.progress() == 0 && task == null) {
                        side.worker().await(WAIT_NS);
                    }
                }
            } finally {
                side.close();
            }
            side.assertKeptRules();
        } catch (Throwable thrown) {
            failure.set(thrown);
            address.completeExceptionally(thrown);
        }
    }

    /**
     * The address on which the side listens.
     *
     * @return a port of 127.0.0.1
     */
    public InetSocketAddress address() {
        return join(address);
    }

    /**
     * Runs a task on the thread and waits for its result.
     *
     * @param <T> the type of the result
     * @param task the task
     * @return the task's result
     */
    public <T> T call(Function<Side, T> task) {
        return join(submit(task));
    }

    /**
     * Runs a task on the thread, and does not wait.
     *
     * @param <T> the type of the result
     * @param task the task
     * @return completes with the task's result, or with what it threw
     */
    public <T> CompletableFuture<T> submit(Function<Side, T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        tasks.add(side -> {
            try {
                result.complete(task.apply(side));
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        return result;
    }

    /**
     * Runs a task on the thread and waits until it has run.
     *
     * @param task the task
     */
    public void run(Consumer<Side> task) {
        call(side -> {
            task.accept(side);
            return true;
        });
    }

    /** Stops the side's progress, as in a process that is stopped. Tasks still run. */
    public void stall() {
        run(side -> idle.set(true));
    }

    /** Resumes the side's progress. */
    public void goOn() {
        idle.set(false);
    }

    /**
     * The thread, which owns the side's worker.
     *
     * @return the thread
     */
    public Thread thread() {
        return thread;
    }

    /** Closes the side on its thread, and throws what has failed there. */
    @Override
    public void close() {
        running.set(false);
        try {
            thread.join(Duration.ofSeconds(DEADLINE_S));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + this + " to end", e);
        }
        if (thread.isAlive()) {
            AssertionError stuck = new AssertionError(this + " does not end");
            stuck.setStackTrace(thread.getStackTrace());
            throw stuck;
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new AssertionError(this + " failed", thrown);
        }
    }

    private <T> T join(CompletableFuture<T> future) {
        try {
            return future.get(DEADLINE_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(this + " failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            AssertionError stuck = new AssertionError(this + " did not answer in " + DEADLINE_S + " s", e);
            stuck.setStackTrace(thread.getStackTrace());
            throw stuck;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + this, e);
        }
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
