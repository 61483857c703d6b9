package io.fairlead.node.internal;

import io.fairlead.Worker;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** What is checked on the caller's thread, where the exception helps most. */
final class Arguments {
    private Arguments() {}

    static void tag(long tag) {
        if ((tag & ~Worker.TAG_MAX) != 0) {
            throw new IllegalArgumentException("tag out of range: tag=" + tag + ", allowed 0 to " + Worker.TAG_MAX);
        }
    }

    static void tagMask(long tagMask) {
        if ((tagMask & ~Worker.FULL_TAG_MASK) != 0) {
            throw new IllegalArgumentException(
                    "tag mask out of range: tagMask=" + tagMask + ", allowed 0 to " + Worker.FULL_TAG_MASK);
        }
    }

    static void maxLength(long maxLength) {
        if (maxLength < 0) {
            throw new IllegalArgumentException(
                    "limit out of range: maxLength=" + maxLength + " bytes, allowed 0 and up");
        }
    }

    static void aligned(long offset) {
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("atomic needs an aligned word: offset=" + offset
                    + ", must be a multiple of " + Long.BYTES + " bytes");
        }
    }

    /** Waits for a permit; false if there was none in time, or the thread was interrupted. */
    static boolean acquire(Semaphore semaphore, long waitNs) {
        try {
            return waitNs > 0 && semaphore.tryAcquire(waitNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
