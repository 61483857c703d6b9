package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.SubscriptionOptions;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** The messages of a topic: each subscriber has a subscription of its own. Thread-safe. */
record FlowMessages<T>(
        NodeCalls calls,
        LiveSubscriber subscriber,
        String topic,
        SubscriptionOptions subscription,
        FlowOptions options,
        Function<? super MemorySegment, ? extends T> mapper)
        implements Flow.Publisher<T> {
    FlowMessages {
        Limits.topicName(topic);
        Objects.requireNonNull(subscription, "subscription");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(mapper, "mapper");
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> target) {
        Objects.requireNonNull(target, "subscriber");
        FlowSignals<T> signals = new FlowSignals<>(topic, options.executor(), options.elementsMax(), target);
        FlowStream<T> stream = new FlowStream<>(topic, mapper, signals);
        signals.schedule();
        // If the executor rejects tasks, only the calling thread can report it.
        signals.runStranded();
        if (signals.isOver()) {
            return;
        }
        CompletableFuture<Void> _ = calls.run(worker -> {
                    if (subscriber.isClosed()) {
                        throw NodeCalls.closed("subscriber is closed", topic, "make another subscriber");
                    }
                    stream.open(worker, subscriber, subscription);
                })
                .exceptionally(failure -> {
                    boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
                    signals.end(new FlowEnd(wrapped ? failure.getCause() : failure));
                    signals.runStranded();
                    return null;
                });
    }
}
