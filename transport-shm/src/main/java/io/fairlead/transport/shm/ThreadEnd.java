package io.fairlead.transport.shm;

import java.time.Duration;

/** Waits for a thread that ends by itself, so that nothing is left after the close of its owner. */
final class ThreadEnd {
    private static final long MAX_NS = 5_000_000_000L;

    private ThreadEnd() {}

    /** Waits, also while the calling thread is interrupted, which it stays. */
    static void await(Thread ending) {
        boolean interrupted = false;
        long deadlineNs = System.nanoTime() + MAX_NS;
        for (long left = MAX_NS; left > 0 && ending.isAlive(); left = deadlineNs - System.nanoTime()) {
            try {
                boolean _ = ending.join(Duration.ofNanos(left));
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
