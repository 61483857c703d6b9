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
 * Detects changes of files since they were read. It may check them on its own thread, because a disk may block.
 * Thread-safe.
 */
public final class FileWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);
    /** Limits the wait for the thread, which a disk or server may block for long. */
    private static final long CLOSE_NS = Duration.ofSeconds(2).toNanos();

    private final List<Path> files;
    private final CountDownLatch closed = new CountDownLatch(1);
    private FileStamps seen;
    private Instant seenAt;
    private volatile @Nullable Thread thread;

    /**
     * Checks files for the first time. Create it before they are read, to detect a change between the two.
     *
     * @param files the files to check, existing or not
     */
    public FileWatch(List<Path> files) {
        this.files = List.copyOf(files);
        this.seenAt = Instant.now();
        this.seen = FileStamps.of(this.files);
    }

    /**
     * Checks the files. If they may have changed, read them again and compare the content: recently written files may
     * have changed without a new stamp.
     *
     * @return whether they may have changed since the last check
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
     * Starts a daemon thread that runs a task periodically until {@link #close()}. Call it at most once.
     *
     * @param name the thread's name
     * @param interval from the end of a task to the beginning of the next
     * @param task calls {@link #mayHaveChanged()}; an exception is logged, and the task runs again after the interval
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

    /** If the thread ended, rules and keys would silently never change again. */
    private static void doGuarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
            LOG.error("checking files failed; they are checked again", failed);
        }
    }

    /** Whether {@link #close()} was called: the result of a running task is no longer needed. */
    public boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Ends the thread, and waits for its task; not for long, if that waits for a file. */
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
