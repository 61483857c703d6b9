package io.fairlead.node.internal;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Permits that any thread takes, of which one loop keeps those that it has freed for a moment: it takes them again without atomic access, or
 * gives back all of a turn at once.
 *
 * <p>While callbacks run it keeps one at most, because a callback may wait for another thread, and that one for a permit.
 */
final class Permits {
    private final Semaphore shared;
    private final ProgressLoop loop;

    // Of the loop's thread.
    private int kept;
    private boolean noted;

    /**
     * Permits of a loop.
     *
     * @param shared where they are from, and where others may take them too
     */
    Permits(Semaphore shared, ProgressLoop loop) {
        this.shared = shared;
        this.loop = loop;
    }

    /** Takes a permit, and waits for it if there is none now; false if there was none in time, or the thread was interrupted. */
    boolean tryAcquire(long waitNs) {
        if (loop.isCurrent() && kept > 0) {
            kept--;
            return true;
        }
        return tryAcquire(shared, waitNs);
    }

    /** As {@link #tryAcquire(long)}, of permits that no loop keeps. */
    static boolean tryAcquire(Semaphore shared, long waitNs) {
        try {
            return shared.tryAcquire() || (waitNs > 0 && shared.tryAcquire(waitNs, TimeUnit.NANOSECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Frees a permit, on any thread. */
    void release() {
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

    /** Gives back what is kept; the loop's thread only. */
    void giveBack() {
        noted = false;
        if (kept > 0) {
            shared.release(kept);
            kept = 0;
        }
    }

    /** Adds permits, on any thread. */
    void add(int count) {
        shared.release(count);
    }
}
