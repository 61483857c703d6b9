package io.fairlead.internal.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has ended and is still to be told, in order. Belongs to the loop's thread, but for what {@link #running} tells whoever closes
 * the node.
 */
final class Deliveries {
    private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

    private final @Nullable Executor executor;
    private final Deque<Delivery> pending = new ArrayDeque<>();
    private volatile long running;
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

    /** Tells what has ended up to now; what callbacks cause waits for the next call. */
    int run() {
        int count = pending.size();
        for (int i = 0; i < count; i++) {
            Delivery delivery = pending.remove();
            if (executor == null || delivery instanceof Internal) {
                runHere(delivery);
            } else {
                runBy(executor, delivery);
            }
        }
        return count;
    }

    private void runBy(Executor chosen, Delivery delivery) {
        try {
            chosen.execute(() -> runGuarded(delivery));
        } catch (RejectedExecutionException rejected) {
            // The application has shut its executor down before the node; a future must complete all the same.
            runHere(delivery);
        }
    }

    private void runHere(Delivery delivery) {
        running = ++sequence;
        try {
            runGuarded(delivery);
        } finally {
            running = 0;
            // Whoever closes the node interrupts callbacks that block; the channels of this thread must not see that.
            Thread.interrupted();
        }
    }

    private static void runGuarded(Delivery delivery) {
        try {
            delivery.deliver();
        } catch (RuntimeException | Error thrown) {
            LOG.error("a handler of a node threw", thrown);
        }
    }

    /** The number of the callback that runs now, or 0; the same number twice means that it takes long. From any thread. */
    long running() {
        return running;
    }

    private record Internal(Runnable action) implements Delivery {
        @Override
        public void deliver() {
            action.run();
        }
    }
}
