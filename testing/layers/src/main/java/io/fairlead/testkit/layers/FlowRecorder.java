package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** A subscriber of a flow that notes each signal, and what was wrong with it. */
final class FlowRecorder<T> implements Flow.Subscriber<T> {
    private static final long DEADLINE_S = Long.getLong("fairlead.contract.deadline-s", 60);

    private final CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();
    private final CompletableFuture<Object> ended = new CompletableFuture<>();
    private final BlockingQueue<T> elements = new LinkedBlockingQueue<>();
    private final Queue<String> mistakes = new ConcurrentLinkedQueue<>();
    private final Queue<String> threads = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();
    private final long initial;
    private final BiConsumer<Flow.Subscription, T> then;

    /** What {@link #end()} answers for a flow that is complete. */
    static final Object COMPLETE = "complete";

    /**
     * Requests some elements at once.
     *
     * @param initial how many; 0 for none
     * @param then called for each element
     */
    FlowRecorder(long initial, BiConsumer<Flow.Subscription, T> then) {
        this.initial = initial;
        this.then = then;
    }

    FlowRecorder(long initial) {
        this(initial, (_, _) -> {});
    }

    private void enter(String signal) {
        threads.add(Thread.currentThread().getName());
        if (inside.getAndIncrement() != 0) {
            mistakes.add(signal + " inside another signal");
        }
        if (ended.isDone()) {
            mistakes.add(signal + " after the end");
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        enter("onSubscribe");
        try {
            if (!subscribed.complete(subscription)) {
                mistakes.add("a second onSubscribe");
            }
            if (initial > 0) {
                subscription.request(initial);
            }
        } finally {
            inside.decrementAndGet();
        }
    }

    @Override
    public void onNext(T element) {
        enter("onNext");
        try {
            count.incrementAndGet();
            elements.add(element);
            then.accept(subscription(), element);
        } finally {
            inside.decrementAndGet();
        }
    }

    @Override
    public void onError(Throwable error) {
        end("onError", error);
    }

    @Override
    public void onComplete() {
        end("onComplete", COMPLETE);
    }

    private void end(String signal, Object how) {
        enter(signal);
        if (!subscribed.isDone()) {
            mistakes.add(signal + " before onSubscribe");
        }
        ended.complete(how);
        inside.decrementAndGet();
    }

    Flow.Subscription subscription() {
        return NodeCases.get(subscribed);
    }

    T next() {
        try {
            T element = elements.poll(DEADLINE_S, TimeUnit.SECONDS);
            if (element == null) {
                throw new AssertionError("waited " + DEADLINE_S + " s for an element; ended=" + ended);
            }
            return element;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Waits for the last signal: {@link #COMPLETE} or the error. */
    Object end() {
        return NodeCases.get(ended);
    }

    boolean isEnded() {
        return ended.isDone();
    }

    int count() {
        return count.get();
    }

    /** Elements that nobody has taken here. */
    int untaken() {
        return elements.size();
    }

    List<String> threads() {
        return List.copyOf(threads);
    }

    /** Whether every signal came alone and in order. */
    void assertCorrect() {
        assertTrue(mistakes.isEmpty(), mistakes::toString);
        if (inside.get() < 0) {
            fail("more signals left than came");
        }
    }
}
