package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the descriptors that a {@link LocalSocket} has received. A stranger can send one whose close waits, such as a
 * TCP socket with {@code SO_LINGER}, or a file of a FUSE file system, or much memory. The caller closes only a little
 * memory. Threads of the process close everything else: they start when they are needed and end when nothing is left.
 * Thread-safe.
 */
final class ReceivedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(ReceivedFiles.class);

    private static final int WAITING_MAX = 2048;
    /** What the threads of this process have accepted and not yet received still fits. */
    private static final int RECEIVING_MAX = WAITING_MAX / 2;

    /** A close that waits keeps a thread, and the others go on. */
    static final int THREADS_MAX = 16;

    /** Bytes that the kernel frees in less than a millisecond. */
    private static final long CLOSED_AT_ONCE_MAX = 2 << 20;

    private static final int LINGER = 13;

    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(
            THREADS_MAX,
            THREADS_MAX,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_MAX),
            Thread.ofPlatform().daemon().name("fairlead-shm-close").factory());

    static {
        THREADS.allowCoreThreadTimeOut(true);
    }

    private ReceivedFiles() {}

    /** Whether so many wait to be closed that nothing more of strangers is to be received. */
    static boolean isFull() {
        return THREADS.getQueue().size() >= RECEIVING_MAX;
    }

    /** Closes the descriptors of one packet, now or later. */
    static void close(int... descriptors) {
        int[] left = Arrays.stream(descriptors)
                .filter(descriptor -> !isClosedAtOnce(descriptor))
                .toArray();
        if (left.length > 0) {
            closeLater(left);
        }
    }

    private static boolean isClosedAtOnce(int descriptor) {
        // The seals first: other files may wait when they are asked for their size.
        boolean isSmall = Libc.seals(descriptor) >= 0 && Libc.reserved(descriptor) <= CLOSED_AT_ONCE_MAX;
        if (isSmall) {
            Libc.close(descriptor);
        }
        return isSmall;
    }

    /** Closes descriptors on a thread, one after the other: they count once. */
    static void closeLater(int... descriptors) {
        try {
            THREADS.execute(() -> {
                for (int descriptor : descriptors) {
                    doNotLinger(descriptor);
                    Libc.close(descriptor);
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError full) {
            // An open descriptor is the lesser harm than a worker that stands still.
            LOG.warn(
                    "descriptors that a stranger has sent stay open: descriptors={}",
                    Arrays.toString(descriptors),
                    full);
        }
    }

    /** A TCP socket that lingers would keep the thread; other files refuse this. */
    private static void doNotLinger(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            int _ = Libc.setOption(descriptor, LINGER, arena.allocate(JAVA_INT, 2));
        }
    }
}
