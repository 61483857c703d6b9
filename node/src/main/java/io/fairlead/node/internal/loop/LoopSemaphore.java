package io.fairlead.node.internal.loop;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A semaphore of which one loop keeps the permits that it has released. The loop takes them again without atomic access, or returns all permits
 * of a turn at once.
 *
 * <p>While callbacks run it keeps one at most, because a callback may wait for another thread that needs a permit.
 */
public final class LoopSemaphore {
    private final Semaphore shared;
    private final ProgressLoop loop;

    // Used by the loop's thread.
    private int kept;
    private boolean noted;

    /**
     * Creates it.
     *
     * @param shared the semaphore, which others may use too
     */
    public LoopSemaphore(Semaphore shared, ProgressLoop loop) {
        this.shared = shared;
        this.loop = loop;
    }

    /** Takes a permit, and waits if there is none now. Returns false if there was none in time, or the thread was interrupted. */
    public boolean tryAcquire(long waitNs) {
        if (loop.isCurrent() && kept > 0) {
            kept--;
            return true;
        }
        return tryAcquire(shared, waitNs);
    }

    /** As {@link #tryAcquire(long)}, of a semaphore of which no loop keeps permits. */
    public static boolean tryAcquire(Semaphore shared, long waitNs) {
        try {
            return shared.tryAcquire() || (waitNs > 0 && shared.tryAcquire(waitNs, TimeUnit.NANOSECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Releases a permit, on any thread. */
    public void release() {
        if (!loop.isCurrent() || (kept > 0 && loop.isDelivering())) {
            shared.release();
            return;
        }
        kept++;
        if (!noted) {
            noted = true;
            loop.keeps(this);
        }
    }

    /** Returns what is kept. The loop's thread only. */
    void giveBack() {
        noted = false;
        if (kept > 0) {
            shared.release(kept);
            kept = 0;
        }
    }

    /** Adds permits, on any thread. */
    public void add(int count) {
        shared.release(count);
    }
}
