package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Worker;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.FlowSink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a flow on a topic. Elements are mapped where they are signalled, wait in a bounded queue, and are published on the progress thread;
 * as many are requested again as have been published.
 */
final class TopicSink<T> implements FlowSink<T> {
    private static final Logger LOG = LoggerFactory.getLogger(TopicSink.class);

    private final SharedPublisher publisher;
    private final NodeCalls calls;
    private final SharedTopic topic;
    private final Function<? super T, MemorySegment> mapper;
    private final SinkUpstream upstream;
    private final int elementsMax;
    /** Requests come in batches, before the last ones have arrived. */
    private final int step;

    private final ArrayBlockingQueue<MemorySegment> queued;
    private final AtomicReference<@Nullable FlowEnd> end = new AtomicReference<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile @Nullable Worker worker;
    /** Published, and not requested again. Belongs to the progress thread, like the fields below. */
    private int published;

    private boolean stalled;
    private boolean over;

    TopicSink(
            SharedPublisher publisher,
            NodeCalls calls,
            SharedTopic topic,
            FlowOptions options,
            Function<? super T, MemorySegment> mapper) {
        this.publisher = publisher;
        this.calls = calls;
        this.topic = topic;
        this.mapper = Objects.requireNonNull(mapper, "mapper");
        this.elementsMax = options.elementsMax();
        this.step = Math.max(1, elementsMax - elementsMax / 4);
        this.queued = new ArrayBlockingQueue<>(elementsMax);
        this.upstream = new SinkUpstream(topic.name(), options.executor(), error -> end(new FlowEnd(error)));
    }

    /** Begins to follow the topic, which may close before a flow comes. */
    void open() {
        CompletableFuture<Void> _ = calls.run(on -> {
                    worker = on;
                    publisher.serve(this);
                })
                .exceptionally(failure -> {
                    boolean closed = failure instanceof FairleadException known && known.reason() == Reason.CLOSED;
                    close(closed ? NodeCalls.topicClosed(topic.name()) : failure);
                    return null;
                });
    }

    @Override
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        if (!upstream.trySet(Objects.requireNonNull(subscription, "subscription"))) {
            return;
        }
        upstream.request(elementsMax);
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (end.get() != null) {
            return;
        }
        MemorySegment message;
        try {
            message = MemorySegment.ofArray(mapper.apply(element).toArray(ValueLayout.JAVA_BYTE));
        } catch (Throwable thrown) {
            fail(thrown);
            return;
        }
        if (!queued.offer(message)) {
            fail(new IllegalStateException("flow signals more than was requested (Reactive Streams 1.1): topic="
                    + topic.name() + ", elementsMax=" + elementsMax + "; use a publisher that keeps to the demand"));
        } else if (queued.size() == 1) {
            wakeup();
        }
    }

    @Override
    public void onComplete() {
        end(FlowEnd.COMPLETE);
    }

    @Override
    public void onError(Throwable error) {
        end(new FlowEnd(Objects.requireNonNull(error, "error")));
    }

    /** Requests nothing more, and ends when what was taken before has been published. */
    private void fail(Throwable error) {
        end(new FlowEnd(error));
        upstream.cancel();
    }

    private void end(FlowEnd last) {
        if (end.compareAndSet(null, last)) {
            wakeup();
        }
    }

    private void wakeup() {
        Worker woken = worker;
        if (woken != null) {
            woken.wakeup();
        }
    }

    /** Goes on as far as it goes now; answers how many things were done. On the progress thread, as what follows. */
    int run() {
        FlowEnd last = end.get();
        int work = publish();
        if (publisher.isClosing()) {
            upstream.cancel();
        }
        if (published >= step) {
            upstream.request(published);
            published = 0;
        }
        if (last != null && queued.isEmpty() && topic.isSent()) {
            finish(last);
            return work + 1;
        }
        if (topic.isClosed()) {
            closed();
            return work + 1;
        }
        return work;
    }

    private int publish() {
        int work = 0;
        stalled = false;
        for (MemorySegment message = queued.peek(); message != null; message = queued.peek()) {
            long answer;
            try {
                answer = topic.tryPublish(message);
            } catch (Throwable refused) {
                queued.clear();
                fail(refused);
                return work + 1;
            }
            if (answer == Endpoint.BACK_PRESSURE) {
                stalled = true;
                return work;
            }
            if (answer < 0) {
                return work;
            }
            queued.remove();
            published++;
            work++;
        }
        return work;
    }

    private void finish(FlowEnd last) {
        Throwable error = last.error();
        if (error == null) {
            topic.endNow(new FairleadException(
                    Reason.CLOSED, "topic was closed, its flow is complete: topic=" + topic.name()));
        } else {
            LOG.warn("a flow ended with an error, and its topic with it; topic={}", topic.name(), error);
            topic.endNow(new FairleadException(
                    Reason.REFUSED,
                    "the flow that was published ended with an error: topic=" + topic.name() + ", error="
                            + error.getClass().getName() + "; the publisher's log has it"));
        }
        complete(error);
    }

    /** The topic has closed, or never opened. */
    void close(Throwable cause) {
        upstream.cancel();
        FlowEnd last = new FlowEnd(cause);
        end.compareAndSet(null, last);
        queued.clear();
        complete(cause);
    }

    private void complete(@Nullable Throwable error) {
        if (!over) {
            over = true;
            calls.complete(ended, null, error);
        }
    }

    /** The publisher has closed. */
    void closed() {
        close(NodeCalls.topicClosed(topic.name()));
    }

    /** Whether nothing more will be published. */
    boolean isOver() {
        return over;
    }

    boolean hasQueued() {
        return !queued.isEmpty();
    }

    /** Whether the thread has to check again soon, because neither free capacity nor the end of sending is an event. */
    boolean isWaiting() {
        return stalled || end.get() != null;
    }
}
