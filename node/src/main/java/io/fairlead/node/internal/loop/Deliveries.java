package io.fairlead.node.internal.loop;

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
 * Completed futures and events that are to be delivered, in order. Belongs to the loop's thread, except {@link #running}, which a closing thread
 * reads.
 */
public final class Deliveries {
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

    /** Adds an action of the node itself, which needs no executor. */
    public void addInternal(Runnable action) {
        pending.add(new Internal(action));
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /**
     * Delivers what is here now, up to a batch. What callbacks add waits for the next call. Between batches the loop makes progress, which sends
     * what callbacks have posted, so that the peer answers meanwhile.
     */
    int run() {
        int count = Math.min(pending.size(), BATCH_MAX);
        for (int i = 0; i < count; i++) {
            Delivery delivery = pending.remove();
            if (executor == null || delivery instanceof Delivery.OnLoop) {
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
            // Most often the application has shut its executor down before the node. Futures must complete all the
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

        /** Begins it. Returns false if it has begun before. */
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
            // A close of the node interrupts callbacks that block. The channels of this thread must not see the
            // interrupt.
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

    /** The number of the callback that runs now, or 0. The same number twice means that it takes long. From any thread. */
    long running() {
        return (long) RUNNING.getOpaque(this);
    }

    private record Internal(Runnable action) implements Delivery.OnLoop {
        @Override
        public void deliver() {
            action.run();
        }
    }
}
