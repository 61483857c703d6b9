package io.fairlead.node.internal;

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
 * Asks a resolver or a registrar again and again, on a daemon thread of its own, because they block. It ends when it is stopped, and frees then what they hold.
 *
 * <p>The thread runs nothing of the application's: what it learns is handed on, to a progress thread.
 */
final class Upkeep implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
    private static final ReconnectPolicy PAUSES =
            ReconnectPolicy.always(Duration.ofMillis(100), Duration.ofSeconds(10));

    /** What is done again and again. */
    interface Task {
        /** Does it, and tells how long what it found is good for. */
        Duration run(Duration timeout) throws InterruptedException;

        /** Frees what it holds. */
        void close();
    }

    private final NodeDiscovery discovery;
    private final String subject;
    private final Task task;
    private final Consumer<FairleadException> failed;
    private final Thread thread;
    /** Holds a permit if somebody wants the next call soon. */
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
     * @param failed told of each failure for another reason than the one before, on the thread
     */
    Upkeep(NodeDiscovery discovery, String subject, Semaphore wanted, Task task, Consumer<FairleadException> failed) {
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

    /** Has the next call come soon. */
    void ask() {
        wanted.release();
    }

    /** Asks it to end; does not wait. */
    void stop() {
        stopped = true;
        thread.interrupt();
    }

    /** Waits until it has ended; false if that takes longer than the limit. */
    boolean awaitEnd(long limitNs) {
        try {
            return over.await(limitNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
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
            // Whoever interrupts has stopped it before.
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
        // Whoever has stopped it has interrupted it, and clients refuse to work on such a thread.
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
