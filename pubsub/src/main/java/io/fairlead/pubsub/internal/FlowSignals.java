package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.log.Callbacks;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals a {@link Flow.Subscriber} on the application's executor, one signal at a time, and takes its demand.
 *
 * <p>Adding something schedules a run, and only one run is scheduled at a time: {@code runs} counts what has been added since it began. So a signal
 * never comes inside another, and {@link #request} inside of one only adds to the demand.
 */
final class FlowSignals<T> implements Flow.Subscription, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(FlowSignals.class);

    private final String topic;
    private final Executor executor;
    /** Elements that were requested, and not signalled yet. */
    private final ArrayBlockingQueue<T> ready;
    /** What was requested and no message was taken for yet; {@link Long#MAX_VALUE} is without end. */
    private final AtomicLong demand = new AtomicLong();

    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicReference<@Nullable FlowEnd> end = new AtomicReference<>();
    /** Null when there is nothing more to signal, so that nothing keeps the subscriber in memory. Belongs to the run. */
    private Flow.@Nullable Subscriber<? super T> subscriber;
    /** Belongs to the run. */
    private boolean begun;

    private volatile Runnable wakeup = () -> {};
    /** What signals no further element: a rule that the subscriber broke, or an executor that is gone. */
    private volatile @Nullable Throwable broken;
    /** Cancelled, or the last signal has been. */
    private volatile boolean over;
    /** There is demand and no capacity. A run that frees capacity reports it. */
    private volatile boolean full;
    /** The executor has rejected the run, which another thread has to do. */
    private volatile boolean stranded;

    FlowSignals(String topic, Executor executor, int elementsMax, Flow.Subscriber<? super T> subscriber) {
        this.topic = topic;
        this.executor = executor;
        this.ready = new ArrayBlockingQueue<>(elementsMax);
        this.subscriber = subscriber;
    }

    /** Says what wakes the thread that takes messages. */
    void wakeBy(Runnable waker) {
        wakeup = waker;
    }

    /** Whether the subscriber gets no further signal. */
    boolean isOver() {
        return over || broken != null;
    }

    /** Whether there is demand, and capacity. For the thread that takes messages. */
    boolean wantsElement() {
        if (isOver() || demand.get() == 0) {
            return false;
        }
        if (ready.remainingCapacity() > 0) {
            return true;
        }
        full = true;
        // A run may have emptied the queue in between without reporting it.
        return ready.remainingCapacity() > 0;
    }

    /** Adds an element after {@link #wantsElement()}. */
    void add(T element) {
        demand.getAndUpdate(before -> before == Long.MAX_VALUE ? before : before - 1);
        ready.add(element);
        schedule();
    }

    /** Ends after the elements that are here; only the first end counts. */
    void end(FlowEnd last) {
        end.compareAndSet(null, last);
        schedule();
    }

    void schedule() {
        if (runs.getAndIncrement() != 0) {
            return;
        }
        try {
            executor.execute(this);
        } catch (Throwable refused) {
            LOG.warn("executor refused the signals of a flow, which ends; topic={}", topic, refused);
            broken = new FairleadException(
                    Reason.CLOSED,
                    "executor refused the signals of a flow: topic=" + topic
                            + "; cancel the subscription before the executor is closed",
                    refused);
            stranded = true;
            wakeup.run();
        }
    }

    /** Makes the run that the executor has refused, if it has. */
    void runStranded() {
        if (stranded) {
            stranded = false;
            run();
        }
    }

    @Override
    public void run() {
        int seen = runs.get();
        do {
            signal();
            seen = runs.addAndGet(-seen);
        } while (seen != 0);
    }

    private void signal() {
        Flow.Subscriber<? super T> target = subscriber;
        if (target == null) {
            ready.clear();
            return;
        }
        if (!begun) {
            begun = true;
            tell(target, () -> target.onSubscribe(this));
        }
        while (!over) {
            FlowEnd last = broken == null ? end.get() : new FlowEnd(broken);
            T element = broken == null ? ready.poll() : null;
            if (element != null) {
                tellOfRoom();
                tell(target, () -> target.onNext(element));
            } else if (last != null) {
                over = true;
                tell(target, () -> last.signalTo(target));
            } else {
                return;
            }
        }
        subscriber = null;
        ready.clear();
        wakeup.run();
    }

    private void tellOfRoom() {
        if (full && ready.size() <= (ready.size() + ready.remainingCapacity()) / 2) {
            full = false;
            wakeup.run();
        }
    }

    /** A subscriber that throws has broken a rule, and counts as cancelled. */
    private void tell(Flow.Subscriber<?> target, Runnable signal) {
        try {
            signal.run();
        } catch (Throwable thrown) {
            over = true;
            Callbacks.logThrown(
                    LOG,
                    thrown,
                    "a Flow.Subscriber threw and is cancelled; topic={}, subscriber={}",
                    topic,
                    target.getClass().getName());
        }
    }

    @Override
    public void request(long n) {
        if (isOver()) {
            return;
        }
        if (n <= 0) {
            broken = new IllegalArgumentException(
                    "request out of range: n=" + n + ", allowed 1 and up (Reactive Streams 3.9): topic=" + topic);
            wakeup.run();
            schedule();
            return;
        }
        long before = demand.getAndUpdate(old -> old + n < 0 ? Long.MAX_VALUE : old + n);
        if (before == 0) {
            wakeup.run();
        }
    }

    @Override
    public void cancel() {
        if (!over) {
            over = true;
            wakeup.run();
            schedule();
        }
    }
}
