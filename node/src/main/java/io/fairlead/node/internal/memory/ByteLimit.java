package io.fairlead.node.internal.memory;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The bytes of the waiting operations of one peer or set, bounded by this limit and by the {@link ByteBudget} of its node. If nothing
 * waits, one message of any length is taken. Thread-safe.
 */
public final class ByteLimit {
    /** Bytes are freed when the peer has taken a message, which takes microseconds at least. */
    private static final long PAUSE_NS = 50_000L;

    private static final long PAUSE_MAX_NS = 1_000_000L;

    private final ByteBudget budget;
    private final long max;
    private final AtomicLong held = new AtomicLong();
    /** Callers wait in order, and only the first one tries. So short messages do not overtake a long one for ever. */
    private final Semaphore turn = new Semaphore(1, true);

    private volatile boolean ended;

    public ByteLimit(ByteBudget budget, long max) {
        this.budget = budget;
        this.max = max;
    }

    public long max() {
        return max;
    }

    /** Bytes that are held now. */
    public long held() {
        return held.get();
    }

    /** Takes bytes, and waits if the limit is reached. Returns false if it stayed reached, or the thread was interrupted. */
    public boolean tryTake(long bytes, long waitNs) {
        return tryTake(bytes, waitNs, () -> false);
    }

    /**
     * Takes bytes.
     *
     * @param waitNs how long to wait if the limit is reached
     * @param futile checked while this waits; true if the bytes are no longer wanted
     * @return false if the limit stayed reached, the thread was interrupted or the wait is futile
     */
    public boolean tryTake(long bytes, long waitNs, BooleanSupplier futile) {
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

    /** Takes bytes if the limit allows it now. */
    public boolean tryTake(long bytes) {
        while (true) {
            long now = held.get();
            boolean over = ended;
            if (!over && now > 0 && now + bytes > max) {
                return false;
            }
            // The budget first, because its refusal changes nothing here.
            if (over) {
                budget.grow(now, now + bytes);
            } else if (!budget.tryGrow(now, now + bytes)) {
                return false;
            }
            if (held.compareAndSet(now, now + bytes)) {
                return true;
            }
            budget.shrink(now + bytes, now);
        }
    }

    /** Gives bytes back. */
    public void giveBack(long bytes) {
        long before = held.getAndAdd(-bytes);
        assert before >= bytes : "gives back more than was taken: held=" + before + ", bytes=" + bytes;
        budget.shrink(before, before - bytes);
    }

    /** The peer has ended. From now on every caller gets its bytes, so that waiting callers continue and see the end. */
    public void end() {
        ended = true;
    }
}
