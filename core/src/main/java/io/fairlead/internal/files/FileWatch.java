package io.fairlead.internal.files;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether files have changed since they were read. A thread of its own may look at them, because a disk may keep a worker waiting. Thread-safe.
 */
public final class FileWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);
    /** A file whose disk or server does not answer keeps the thread for as long as that lasts. */
    private static final long CLOSE_NS = Duration.ofSeconds(2).toNanos();

    private final List<Path> files;
    private final CountDownLatch closed = new CountDownLatch(1);
    private FileStamps seen;
    private Instant seenAt;
    private volatile @Nullable Thread thread;

    /**
     * Looks at files for the first time. Make it before they are read: a change between the two is then found.
     *
     * @param files what to look at, whether they are there or not
     */
    public FileWatch(List<Path> files) {
        this.files = List.copyOf(files);
        this.seenAt = Instant.now();
        this.seen = FileStamps.of(this.files);
    }

    /**
     * Looks at the files. Read them again if they may have changed, and compare what is read: files that were written a moment ago may have changed
     * although they look the same.
     *
     * @return whether they may have changed since the last look
     */
    public synchronized boolean mayHaveChanged() {
        Instant now = Instant.now();
        FileStamps stamps = FileStamps.of(files);
        boolean changed = !stamps.equals(seen) || seen.isYoung(seenAt);
        seen = stamps;
        seenAt = now;
        return changed;
    }

    /**
     * Starts a daemon thread that does a task at intervals until {@link #close()}. Call it at most once.
     *
     * @param name the thread's
     * @param interval from the end of a task to the beginning of the next
     * @param task asks {@link #mayHaveChanged()}; what it throws is logged, and it is done again after the interval
     */
    public synchronized void start(String name, Duration interval, Runnable task) {
        Thread started = Thread.ofPlatform().name(name).daemon().unstarted(() -> {
            try {
                while (!closed.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
                    doGuarded(task);
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        thread = started;
        started.start();
    }

    /** A thread that ended would leave rules and keys as they are for good, and nobody would know. */
    private static void doGuarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
            LOG.error("looking at files failed, they are looked at again", failed);
        }
    }

    /** Whether {@link #close()} was called: what a task has read is of no use any more. */
    public boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Ends the thread, and waits for the task that it may be doing; not for long, if that waits for a file. */
    @Override
    public void close() {
        closed.countDown();
        Thread started = thread;
        if (started == null) {
            return;
        }
        long deadlineNs = System.nanoTime() + CLOSE_NS;
        boolean interrupted = false;
        for (long leftNs = CLOSE_NS; leftNs > 0 && started.isAlive(); leftNs = deadlineNs - System.nanoTime()) {
            try {
                boolean _ = started.join(Duration.ofNanos(leftNs));
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (started.isAlive()) {
            LOG.warn(
                    "a file takes long to look at, and its thread ends when that has ended: thread={}, files={},"
                            + " waited={} ms; is a network mount without an answer?",
                    started.getName(),
                    files,
                    CLOSE_NS / 1_000_000);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
