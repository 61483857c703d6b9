package io.fairlead.node.internal;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** How many requests of one peer may be without an answer, and what their deadlines may be. Thread-safe. */
final class RequestRoom {
    /** So many that no caller who waits for room stays behind when the peer has ended. */
    private static final int EVERYBODY = 1 << 30;

    private static final Duration DEADLINE_MAX = Duration.ofNanos(RequestFrame.TIME_LEFT_MAX_NS);

    private final Semaphore room;

    RequestRoom(int max) {
        room = new Semaphore(max);
    }

    /** Takes room for a request; false if there was none in time, or the thread was interrupted. */
    boolean tryAcquire(long waitNs) {
        if (room.tryAcquire()) {
            return true;
        }
        try {
            return waitNs > 0 && room.tryAcquire(waitNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void release(int count) {
        room.release(count);
    }

    /** Callers who wait go on. */
    void open() {
        room.release(EVERYBODY);
    }

    /** The nanoseconds of a deadline, negative ones included. */
    static long deadlineNs(Duration deadline) {
        if (deadline.compareTo(DEADLINE_MAX) > 0) {
            throw new IllegalArgumentException(
                    "deadline out of range: deadline=" + deadline + ", at most " + DEADLINE_MAX + " from now");
        }
        return deadline.isNegative() ? -1 : deadline.toNanos();
    }
}
