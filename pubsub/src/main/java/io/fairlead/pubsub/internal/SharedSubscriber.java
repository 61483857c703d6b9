package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.Worker;
import io.fairlead.node.MemberWatch;
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

    /** Connects to the publishers of a service, one after the other, and follows them. */
    public static CompletableFuture<NodeSubscriber> connect(Node node, String name, SubscriberOptions options) {
        Objects.requireNonNull(options, "options");
        MemberWatch watch;
        try {
            watch = node.follow(name);
        } catch (FairleadException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<NodeSubscriber> made = connect(
                node, worker -> LiveSubscriber.connect(worker, new MemberAddresses(watch), options), watch::close);
        CompletableFuture<NodeSubscriber> _ = made.whenComplete((_, failure) -> {
            if (failure != null) {
                watch.close();
            }
        });
        return made;
    }

    public static CompletableFuture<NodeSubscriber> connect(
            Node node, InetSocketAddress address, SubscriberOptions options) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(options, "options");
        return connect(node, worker -> LiveSubscriber.connect(worker, address, options), () -> {});
    }

    private static CompletableFuture<NodeSubscriber> connect(
            Node node, Function<Worker, LiveSubscriber> connect, Runnable alsoClosed) {
        WorkerThread thread = node.workerThread();
        NodeCalls calls = new NodeCalls(node, thread);
        return calls.make(worker -> new SharedSubscriber(calls, connect.apply(worker), alsoClosed), unwanted -> {
            CompletableFuture<Void> _ = unwanted.startClose();
        });
    }

    @Override
    public CompletableFuture<Subscription> subscribe(
            String topic, SubscriptionOptions options, MessageHandler handler, SubscriptionEvents events) {
        return calls.make(
                _ -> {
                    if (subscriber.isClosed()) {
                        throw NodeCalls.closed("subscriber is closed", topic, "make another subscriber");
                    }
                    return SharedSubscription.subscribe(calls, subscriber, topic, options, handler, events);
                },
                Subscription::close);
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
