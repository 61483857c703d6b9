package io.fairlead.samples.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets SIGINT and SIGTERM end a command in order: the command sees the request, closes what it has open, with goodbyes to
 * its peers, and only then does the process exit. Thread-safe.
 */
public final class StopSignal implements AutoCloseable {
    /** Longer than {@code close.timeout}, and short enough that nobody reaches for kill -9. */
    private static final long GRACE_MS = 3000;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::stopAndWait, "fairlead-stop");
    private volatile boolean requested;
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
        return signal;
    }

    /**
     * Names what ends the command's waiting.
     *
     * @param runnable called from another thread once a stop is requested, at once if it is already
     */
    public void onRequest(Runnable runnable) {
        wakeup = runnable;
        if (requested) {
            runnable.run();
        }
    }

    /**
     * Whether the command is to end.
     *
     * @return true from the request on
     */
    public boolean requested() {
        return requested;
    }

    /** Asks the command to end, as a signal does. */
    public void request() {
        requested = true;
        wakeup.run();
    }

    private void stopAndWait() {
        request();
        try {
            done.await(GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells that the command has closed everything. */
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
