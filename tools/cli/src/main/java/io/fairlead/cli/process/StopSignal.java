package io.fairlead.cli.process;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets SIGINT, SIGTERM and the end of the parent of a {@link ChildProcess} end a command in order. The command sees the
 * request and closes its connections gracefully, and only then does the process exit. Thread-safe.
 */
public final class StopSignal implements AutoCloseable {
    /** Longer than {@code close.timeout}, and short enough that nobody reaches for kill -9. */
    private static final long GRACE_MS = 3000;

    private final CountDownLatch done = new CountDownLatch(1);
    private final CountDownLatch request = new CountDownLatch(1);
    private final Thread hook = new Thread(this::stopAndWait, "fairlead-stop");
    private volatile Runnable wakeup = () -> {};

    private StopSignal() {}

    /**
     * Starts to listen for signals.
     *
     * @return to be closed when everything else is
     */
    public static StopSignal install() {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        if (Boolean.getBoolean(JavaCommand.CHILD_PROPERTY)) {
            ParentWatch.start(signal::request);
        }
        return signal;
    }

    /**
     * Names what ends the command's waiting.
     *
     * @param runnable called from another thread once a stop is requested, at once if it is already
     */
    public void onRequest(Runnable runnable) {
        wakeup = runnable;
        if (requested()) {
            runnable.run();
        }
    }

    /**
     * Whether the command is to end.
     *
     * @return true from the request on
     */
    public boolean requested() {
        return request.getCount() == 0;
    }

    /** Asks the command to end, as a signal does. */
    public void request() {
        request.countDown();
        wakeup.run();
    }

    /**
     * Waits for the request, for commands that have nothing else to do.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public void await() throws InterruptedException {
        request.await();
    }

    /**
     * Waits for the request, for at most that long.
     *
     * @param limitNs in nanoseconds
     * @throws InterruptedException if the thread is interrupted
     */
    public void await(long limitNs) throws InterruptedException {
        // Whichever it was, the caller ends now.
        boolean _ = request.await(limitNs, TimeUnit.NANOSECONDS);
    }

    private void stopAndWait() {
        request();
        try {
            done.await(GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Signals that the command has closed everything. */
    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException exiting) {
            // The process is on its way out, for which the hook may run on.
            return;
        }
    }
}
