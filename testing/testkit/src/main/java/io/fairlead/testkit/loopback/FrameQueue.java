package io.fairlead.testkit.loopback;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Where a worker's peers, on whatever threads, lay down frames for its next progress. Bounded over all of the worker's
 * endpoints. Thread-safe.
 */
final class FrameQueue {
    /**
     * A frame and the end of the link that it is for.
     *
     * @param end the receiving end
     * @param frame the frame
     */
    record Delivery(Link.End end, LoopbackFrame frame) {}

    private final Queue<Delivery> deliveries = new ArrayDeque<>();
    private final int capacity;
    private final Runnable wakeup;
    private boolean armed;
    private boolean closed;

    FrameQueue(int capacity, Runnable wakeup) {
        this.capacity = capacity;
        this.wakeup = wakeup;
    }

    /**
     * Adds a frame.
     *
     * @return false if the queue is full; a frame for a closed worker is dropped, as the wire to a dead host would drop it
     */
    synchronized boolean offer(Delivery delivery) {
        if (closed) {
            return true;
        }
        if (deliveries.size() >= capacity) {
            return false;
        }
        deliveries.add(delivery);
        if (armed) {
            armed = false;
            wakeup.run();
        }
        return true;
    }

    synchronized boolean hasRoom() {
        return closed || deliveries.size() < capacity;
    }

    synchronized int size() {
        return deliveries.size();
    }

    synchronized @Nullable Delivery poll() {
        return deliveries.poll();
    }

    /** Asks for a wake-up at the next frame; false if there is one already. */
    synchronized boolean arm() {
        armed = deliveries.isEmpty();
        return armed;
    }

    synchronized void close() {
        closed = true;
        deliveries.clear();
    }
}
