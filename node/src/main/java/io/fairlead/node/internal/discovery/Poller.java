package io.fairlead.node.internal.discovery;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.ReconnectPolicy;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.log.LogScope;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a resolver or registrar repeatedly, on a separate daemon thread because they block. When it is stopped it closes them.
 *
 * <p>The thread runs no code of the application. It passes results to a progress thread.
 */
public final class Poller implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Poller.class);
    private static final ReconnectPolicy PAUSES =
            ReconnectPolicy.always(Duration.ofMillis(100), Duration.ofSeconds(10));

    /** What is repeated. */
    interface Task {
        /** Does it, and returns how long the result is valid. */
        Duration run(Duration timeout) throws InterruptedException;

        /** Frees what it holds. */
        void close();

        /** Whether it keeps an entry in a registry. */
        default boolean keeps() {
            return false;
        }
    }

    private final NodeDiscovery discovery;
    private final String subject;
    private final Task task;
    private final Consumer<FairleadException> failed;
    private final Thread thread;
    /** Holds a permit if the next call is wanted soon. */
    private final Semaphore wanted;

    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean stopped;
    private int failures;
    private @Nullable Reason lastReason;

    /**
     * Creates it.
     *
     * @param subject what it is about, for messages and the name of the thread
     * @param wanted released for another call
     * @param failed called on the thread with each failure whose reason differs from the last
     */
    Poller(NodeDiscovery discovery, String subject, Semaphore wanted, Task task, Consumer<FairleadException> failed) {
        this.discovery = discovery;
        this.subject = subject;
        this.wanted = wanted;
        this.task = task;
        this.failed = failed;
        this.thread = new Thread(null, this, "fairlead-discovery-" + subject, 0, false);
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Requests the next call soon. */
    void ask() {
        wanted.release();
    }

    /** Asks it to end; does not wait. */
    public void stop() {
        stopped = true;
        thread.interrupt();
    }

    /** Waits until it has ended. Returns false if that takes longer than the limit. */
    boolean awaitEnd(long limitNs) {
        try {
            return over.await(limitNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whether it keeps an entry in a registry, which is removed at its end. */
    boolean keeps() {
        return task.keeps();
    }

    String subject() {
        return subject;
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                long startedNs = System.nanoTime();
                Duration pause = runOnce();
                if (!stopped) {
                    await(startedNs, pause);
                }
            }
        } finally {
            end();
        }
    }

    private Duration runOnce() {
        wanted.drainPermits();
        Duration validFor;
        try {
            validFor = task.run(discovery.timeout());
        } catch (InterruptedException interrupted) {
            // An interrupt comes after a stop only.
            return Duration.ZERO;
        } catch (Throwable thrown) {
            return failed(thrown);
        }
        if (lastReason != null) {
            LOG.info("answered again: service={}, failures={}", subject, failures);
        }
        failures = 0;
        lastReason = null;
        Duration least = discovery.refreshMin();
        return validFor.compareTo(least) < 0 ? least : validFor;
    }

    private Duration failed(Throwable thrown) {
        if (stopped) {
            return Duration.ZERO;
        }
        FairleadException failure = thrown instanceof FairleadException known ? known : unexpected(thrown);
        if (failure.reason() != lastReason) {
            lastReason = failure.reason();
            try (LogScope _ = LogScope.of(discovery.context())) {
                LOG.warn("{}; it is asked again, and what was known before stays", failure.getMessage());
            }
            failed.accept(failure);
        }
        return PAUSES.shortenedPause(failures++, ThreadLocalRandom.current());
    }

    private FairleadException unexpected(Throwable thrown) {
        return new FairleadException(
                Reason.TRANSPORT,
                "cannot ask for the members of a service: name=" + subject + ", cause: " + thrown
                        + "; see the registry's client for it",
                thrown);
    }

    /** Waits until the next call is due or wanted. Changes that follow each other closely are one call, as each reads everything. */
    private void await(long startedNs, Duration pause) {
        long leastNs = Math.min(pause.toNanos(), discovery.refreshMin().toNanos());
        try {
            TimeUnit.NANOSECONDS.sleep(startedNs + leastNs - System.nanoTime());
            boolean _ = wanted.tryAcquire(pause.toNanos() - leastNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            // Stopped.
        }
    }

    private void end() {
        // The stop has interrupted the thread, and clients refuse to work on such a thread.
        Thread.interrupted();
        try {
            task.close();
        } catch (Throwable failure) {
            Callbacks.logThrown(LOG, failure, "a resolver could not be closed; name={}", subject);
        } finally {
            discovery.ended(this);
            over.countDown();
        }
    }
}
