package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.node.Node;
import io.fairlead.node.WorkerThread;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** A subscriber on a progress thread of a node. */
public final class SharedSubscriber implements NodeSubscriber {
    private final NodeCalls calls;
    private final LiveSubscriber subscriber;

    /** What is closed with it. */
    private final Runnable alsoClosed;

    private SharedSubscriber(NodeCalls calls, LiveSubscriber subscriber, Runnable alsoClosed) {
        this.calls = calls;
        this.subscriber = subscriber;
        this.alsoClosed = alsoClosed;
    }

    /** Connects to a publisher by the name of its service, and follows it. */
    public static CompletableFuture<NodeSubscriber> connect(Node node, String name, SubscriberOptions options) {
        Objects.requireNonNull(options, "options");
        WorkerThread thread = node.workerThread();
        NodeCalls calls = new NodeCalls(node, thread);
        return node.watch(name).thenCompose(watch -> {
            if (watch.members().isEmpty()) {
                watch.close();
                return CompletableFuture.failedFuture(new FairleadException(
                        Reason.NOT_CONNECTED,
                        "a service has no publisher: name=" + name
                                + ", members=0; start one, and register it under this name"));
            }
            CompletableFuture<NodeSubscriber> made = thread.call(worker -> new SharedSubscriber(
                    calls, LiveSubscriber.connect(worker, new MemberAddresses(watch), options), watch::close));
            return made.whenComplete((_, failure) -> {
                if (failure != null) {
                    watch.close();
                }
            });
        });
    }

    public static CompletableFuture<NodeSubscriber> connect(
            Node node, InetSocketAddress address, SubscriberOptions options) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(options, "options");
        WorkerThread thread = node.workerThread();
        NodeCalls calls = new NodeCalls(node, thread);
        return thread.call(
                worker -> new SharedSubscriber(calls, LiveSubscriber.connect(worker, address, options), () -> {}));
    }

    @Override
    public CompletableFuture<Subscription> subscribe(
            String topic, SubscriptionOptions options, MessageHandler handler, SubscriptionEvents events) {
        return calls.call(_ -> {
            if (subscriber.isClosed()) {
                throw NodeCalls.closed("subscriber is closed", topic, "make another subscriber");
            }
            return SharedSubscription.subscribe(calls, subscriber, topic, options, handler, events);
        });
    }

    @Override
    public <T> Flow.Publisher<T> flow(
            String topic,
            SubscriptionOptions options,
            FlowOptions flow,
            Function<? super MemorySegment, ? extends T> mapper) {
        return new FlowMessages<>(calls, subscriber, topic, options, flow, mapper);
    }

    @Override
    public CompletableFuture<Optional<Path>> path() {
        return calls.call(_ -> subscriber.path());
    }

    @Override
    public long reconnects() {
        return subscriber.reconnects();
    }

    @Override
    public CompletableFuture<Void> pause() {
        return calls.runAtOnce(subscriber::pause);
    }

    @Override
    public CompletableFuture<Void> resume() {
        return calls.runAtOnce(subscriber::resume);
    }

    @Override
    public CompletableFuture<Void> startClose() {
        alsoClosed.run();
        return calls.closeAtOnce(subscriber::startClose);
    }

    @Override
    public void close() {
        calls.await(startClose());
    }
}
