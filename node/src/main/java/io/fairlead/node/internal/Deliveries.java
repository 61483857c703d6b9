package io.fairlead.node.internal;

import io.fairlead.internal.log.Callbacks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has ended and is still to be told, in order. Belongs to the loop's thread, but for what {@link #running} tells whoever closes
 * the node.
 */
final class Deliveries {
    private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

    /** So many callbacks cost more than the system calls of one progress. */
    private static final int BATCH_MAX = 32;

    private static final VarHandle RUNNING;

    static {
        try {
            RUNNING = MethodHandles.lookup().findVarHandle(Deliveries.class, "running", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final @Nullable Executor executor;
    private final Deque<Delivery> pending = new ArrayDeque<>();

    @SuppressWarnings("unused") // By RUNNING.
    private long running;

    private long sequence;

    Deliveries(@Nullable Executor executor) {
        this.executor = executor;
    }

    void add(Delivery delivery) {
        pending.add(delivery);
    }

    /** Adds something that is not the application's, which has no need of the executor. */
    void addInternal(Runnable action) {
        pending.add(new Internal(action));
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /**
     * Tells what has ended up to now, or the first of it; what callbacks cause waits for the next call. The rest is told after more progress, which
     * sends what callbacks have posted: so the peer begins to answer while this side goes on, and both are at work.
     */
    int run() {
        int count = Math.min(pending.size(), BATCH_MAX);
        for (int i = 0; i < count; i++) {
            Delivery delivery = pending.remove();
            if (executor == null || delivery instanceof LoopDelivery) {
                runHere(delivery);
            } else {
                runBy(executor, delivery);
            }
        }
        return count;
    }

    private void runBy(Executor chosen, Delivery delivery) {
        Task task = new Task(delivery);
        try {
            chosen.execute(task);
        } catch (Throwable thrown) {
            // The application has shut its executor down before the node, most often; a future must complete all the
            // same.
            if (task.begin()) {
                if (!(thrown instanceof RejectedExecutionException)) {
                    Callbacks.logThrown(LOG, thrown, "the executor of a node threw");
                }
                runHere(delivery);
            }
        }
    }

    /** A delivery in the hands of the executor, which may run it and throw all the same. */
    private static final class Task extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1;

        private final transient Delivery delivery;

        private Task(Delivery delivery) {
            this.delivery = delivery;
        }

        /** Whether nobody has begun it before. */
        private boolean begin() {
            return compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (begin()) {
                runGuarded(delivery);
            }
        }
    }

    private void runHere(Delivery delivery) {
        RUNNING.setOpaque(this, ++sequence);
        try {
            runGuarded(delivery);
        } finally {
            RUNNING.setOpaque(this, 0L);
            // Whoever closes the node interrupts callbacks that block; the channels of this thread must not see that.
            Thread.interrupted();
        }
    }

    private static void runGuarded(Delivery delivery) {
        try {
            delivery.deliver();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a handler of a node threw");
        }
    }

    /** The number of the callback that runs now, or 0; the same number twice means that it takes long. From any thread. */
    long running() {
        return (long) RUNNING.getOpaque(this);
    }

    private record Internal(Runnable action) implements LoopDelivery {
        @Override
        public void deliver() {
            action.run();
        }
    }
}
