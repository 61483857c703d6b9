package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.log.Callbacks;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Requests more from the publisher of a flow, or cancels it, on the application's executor and one call at a time. Thread-safe. */
final class SinkUpstream implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SinkUpstream.class);

    private final String topic;
    private final Executor executor;
    /** Called with the cause when requests are no longer possible. */
    private final Consumer<Throwable> failed;

    private final AtomicReference<Flow.@Nullable Subscription> subscription = new AtomicReference<>();
    private final AtomicLong due = new AtomicLong();
    private final AtomicInteger runs = new AtomicInteger();
    private volatile boolean cancelled;
    /** Belongs to the run. */
    private boolean cancelTold;

    SinkUpstream(String topic, Executor executor, Consumer<Throwable> failed) {
        this.topic = topic;
        this.executor = executor;
        this.failed = failed;
    }

    /** Takes the first subscription, and cancels every other. */
    boolean trySet(Flow.Subscription candidate) {
        if (subscription.compareAndSet(null, candidate)) {
            return true;
        }
        candidate.cancel();
        return false;
    }

    void request(long elements) {
        due.addAndGet(elements);
        schedule();
    }

    /** Idempotent. */
    void cancel() {
        if (!cancelled) {
            cancelled = true;
            schedule();
        }
    }

    private void schedule() {
        if (runs.getAndIncrement() != 0) {
            return;
        }
        try {
            executor.execute(this);
        } catch (Throwable refused) {
            LOG.warn("executor refused to ask for more of a flow, which is cancelled; topic={}", topic, refused);
            cancelled = true;
            failed.accept(new FairleadException(
                    Reason.CLOSED,
                    "executor refused to ask for more of a flow: topic=" + topic
                            + "; close the topic before the executor",
                    refused));
            run();
        }
    }

    @Override
    public void run() {
        int seen = runs.get();
        do {
            ask();
            seen = runs.addAndGet(-seen);
        } while (seen != 0);
    }

    private void ask() {
        Flow.Subscription asked = subscription.get();
        if (asked == null) {
            return;
        }
        try {
            long elements = due.getAndSet(0);
            if (!cancelled && elements > 0) {
                asked.request(elements);
            } else if (cancelled && !cancelTold) {
                cancelTold = true;
                asked.cancel();
            }
        } catch (Throwable thrown) {
            cancelled = true;
            cancelTold = true;
            failed.accept(thrown);
            Callbacks.logThrown(
                    LOG,
                    thrown,
                    "a Flow.Subscription threw and is not asked again; topic={}, subscription={}",
                    topic,
                    asked.getClass().getName());
        }
    }
}
