package io.fairlead.node.internal;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The bytes of the operations of one peer or set that wait, bounded by a limit of its own and by the {@link ByteBudget} of its node. One message is taken whatever its length
 * where nothing waits. Thread-safe.
 */
final class ByteRoom {
    /** Room comes back when the peer has taken a message, which takes microseconds at least. */
    private static final long PAUSE_NS = 50_000L;

    private static final long PAUSE_MAX_NS = 1_000_000L;

    private final ByteBudget budget;
    private final long max;
    private final AtomicLong held = new AtomicLong();
    /** Callers wait one behind the other. The first one looks for room, and no short message overtakes a long one for ever. */
    private final Semaphore turn = new Semaphore(1, true);

    private volatile boolean ended;

    ByteRoom(ByteBudget budget, long max) {
        this.budget = budget;
        this.max = max;
    }

    long max() {
        return max;
    }

    /** Bytes that are held now. */
    long held() {
        return held.get();
    }

    /** Takes bytes, and waits for room if there is none now; false if there was none in time, or the thread was interrupted. */
    boolean tryTake(long bytes, long waitNs) {
        return tryTake(bytes, waitNs, () -> false);
    }

    /**
     * Takes bytes.
     *
     * @param waitNs how long to wait for room
     * @param futile asked while this waits; true if the bytes are not wanted any more
     * @return false if there was no room in time, the thread was interrupted or the wait is futile
     */
    boolean tryTake(long bytes, long waitNs, BooleanSupplier futile) {
        if ((waitNs <= 0 || !turn.hasQueuedThreads()) && tryTake(bytes)) {
            return true;
        }
        return waitNs > 0 && awaitRoom(bytes, waitNs, futile);
    }

    private boolean awaitRoom(long bytes, long waitNs, BooleanSupplier futile) {
        long startNs = System.nanoTime();
        try {
            if (!turn.tryAcquire(waitNs, TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            long pauseNs = PAUSE_NS;
            while (!tryTake(bytes)) {
                if (futile.getAsBoolean()
                        || System.nanoTime() - startNs >= waitNs
                        || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                LockSupport.parkNanos(this, pauseNs);
                pauseNs = Math.min(2 * pauseNs, PAUSE_MAX_NS);
            }
            return true;
        } finally {
            turn.release();
        }
    }

    /** Takes bytes if there is room now. */
    boolean tryTake(long bytes) {
        while (true) {
            long now = held.get();
            boolean over = ended;
            if (!over && now > 0 && now + bytes > max) {
                return false;
            }
            // The budget first: what it refuses has changed nothing here.
            if (over) {
                budget.grow(now, now + bytes);
            } else if (!budget.tryGrow(now, now + bytes)) {
                return false;
            }
            if (held.compareAndSet(now, now + bytes)) {
                return true;
            }
            budget.shrink(now, now + bytes);
        }
    }

    /** Gives bytes back. */
    void giveBack(long bytes) {
        long before = held.getAndAdd(-bytes);
        budget.shrink(before, before - bytes);
    }

    /** The peer has ended: from now on everybody gets room, so that callers who wait go on and see the end. */
    void end() {
        ended = true;
    }
}
