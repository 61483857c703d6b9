package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.WorkerThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calls of any thread to what lives on one progress thread of a node. Thread-safe. */
final class NodeCalls {
    private final Node node;
    private final WorkerThread thread;
    private final boolean waits;
    private final long waitNs;

    NodeCalls(Node node, WorkerThread thread) {
        this.node = node;
        this.thread = thread;
        this.waits = node.context().config().value(NodeKeys.BACK_PRESSURE) == BackPressure.WAIT;
        this.waitNs = node.context().config().value(NodeKeys.WAIT_TIMEOUT).toNanos();
    }

    /** Whether an operation without capacity waits instead of failing. */
    boolean waits() {
        return waits;
    }

    /** How many operations may wait. */
    int queueMax() {
        return node.context().config().value(NodeKeys.QUEUE_MAX);
    }

    /** How many bytes may wait. */
    int queueBytes() {
        return node.context().config().value(NodeKeys.QUEUE_BYTES);
    }

    <T> CompletableFuture<T> call(Function<? super Worker, ? extends T> task) {
        return thread.call(task);
    }

    /**
     * Creates something on the thread. If the future has ended before, by a cancel or a time-out, the result is freed.
     *
     * @param task makes it
     * @param giveUp frees it
     */
    <T> CompletableFuture<T> make(Function<? super Worker, ? extends T> task, Consumer<? super T> giveUp) {
        CompletableFuture<T> made = thread.call(task);
        CompletableFuture<T> result = made.newIncompleteFuture();
        CompletableFuture<T> _ = made.whenComplete((value, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!result.complete(value)) {
                giveUp.accept(value);
            }
        });
        return result;
    }

    /** Has the thread do something that has no answer. */
    CompletableFuture<Void> run(Consumer<? super Worker> task) {
        return thread.call(worker -> {
            task.accept(worker);
            return null;
        });
    }

    /** As {@link #run}, but at once if the caller is on the thread, because a handler relies on what it calls. */
    CompletableFuture<Void> runAtOnce(Runnable task) {
        if (!thread.isCurrent()) {
            return run(_ -> task.run());
        }
        task.run();
        return CompletableFuture.completedFuture(null);
    }

    /** As {@link #run}; on a node that is closed there is nothing left to close. */
    CompletableFuture<Void> runClose(Consumer<? super Worker> task) {
        return unlessClosed(run(task));
    }

    /** As {@link #runAtOnce}; on a node that is closed there is nothing left to close. */
    CompletableFuture<Void> closeAtOnce(Runnable task) {
        return unlessClosed(runAtOnce(task));
    }

    private static CompletableFuture<Void> unlessClosed(CompletableFuture<Void> closing) {
        return closing.exceptionally(failure -> {
            if (failure instanceof FairleadException known && known.reason() == Reason.CLOSED) {
                return null;
            }
            throw failure instanceof CompletionException wrapped ? wrapped : new CompletionException(failure);
        });
    }

    /** A future of the node's kind, which no progress thread waits for. */
    <T> CompletableFuture<T> newFuture() {
        return run(_ -> {}).newIncompleteFuture();
    }

    /** Completes a future as the node completes its own: not inside the worker's progress, and by the node's executor if there is one. */
    <T> void complete(CompletableFuture<T> future, @Nullable T value, @Nullable Throwable failure) {
        complete(() -> {
            if (failure == null) {
                future.complete(value);
            } else {
                future.completeExceptionally(failure);
            }
        });
    }

    /** The same for a future that others cannot complete. */
    void complete(Runnable completing) {
        CompletableFuture<Void> _ = run(_ -> {}).handle((_, _) -> {
            completing.run();
            return null;
        });
    }

    /** Takes permits. Waits for them as long as the node's operations wait, and never on a progress thread of the node. */
    boolean acquire(Semaphore permits, int count) {
        if (permits.tryAcquire(count)) {
            return true;
        }
        try {
            return waits && !isProgressThread() && permits.tryAcquire(count, waitNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits for a close, but on a progress thread of whatever node, where the future refuses it. */
    void await(CompletableFuture<Void> closed) {
        try {
            closed.join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        } catch (IllegalStateException _) {
            // The caller is such a thread, and the close goes on without it.
        }
    }

    /** On a progress thread the node answers with that one. */
    private boolean isProgressThread() {
        return node.workerThread().isCurrent();
    }

    static FairleadException backPressure(String topic) {
        return new FairleadException(
                Reason.LIMIT_REACHED,
                Status.BACK_PRESSURE,
                "publish failed: status=BACK_PRESSURE, topic=" + topic
                        + "; subscribers are slower than the publisher: wait for earlier messages and publish again");
    }

    static FairleadException notSent(String topic) {
        return closed("drain failed", topic, "the topic was closed before everything was sent: drain it before");
    }

    static FairleadException topicClosed(String topic) {
        return closed("publish failed", topic, "make the topic anew");
    }

    static FairleadException closed(String subject, String topic, String remedy) {
        return new FairleadException(
                Reason.CLOSED, Status.CLOSED, subject + ": status=CLOSED, topic=" + topic + "; " + remedy);
    }
}
