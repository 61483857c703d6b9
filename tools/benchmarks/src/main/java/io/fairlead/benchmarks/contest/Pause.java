package io.fairlead.benchmarks.contest;

import java.util.concurrent.locks.LockSupport;

/** Waits for the time at which a message is due. */
final class Pause {
    /** Sleeping ends about as late as this. */
    private static final long LATE_NS = 60_000;

    private Pause() {}

    static void until(long dueNs, Idle idle) {
        for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
            if (idle == Idle.BLOCK && left > LATE_NS) {
                LockSupport.parkNanos(left - LATE_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
