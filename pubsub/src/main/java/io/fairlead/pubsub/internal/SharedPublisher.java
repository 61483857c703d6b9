package io.fairlead.pubsub.internal;

import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.node.Node;
import io.fairlead.node.WorkerThread;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.TopicOptions;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** A publisher on a progress thread of a node, and the messages that wait for capacity. */
public final class SharedPublisher implements NodePublisher, WorkerTask, PublisherFront {
    /** Between two attempts at what found no capacity, because free capacity need not be an event that ends a wait. */
    private static final long RETRY_NS = 1_000_000L;

    private final NodeCalls calls;
    /** The bytes of the messages of all topics that were called and have not ended. */
    private final Semaphore bytes;

    private final LivePublisher publisher;
    private final InetSocketAddress address;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** Topics with messages that wait. Belongs to the progress thread. */
    private final ArrayDeque<SharedTopic> stalled = new ArrayDeque<>();
    /** Topics that a caller waits for to be drained. Belongs to the progress thread. */
    private final ArrayDeque<SharedTopic> draining = new ArrayDeque<>();
    /** Flows that are published. Belongs to the progress thread. */
    private final ArrayDeque<TopicSink<?>> sinks = new ArrayDeque<>();
    /** It does no more of the progress thread's work. Belongs to that thread. */
    private boolean closed;

    private SharedPublisher(NodeCalls calls, LivePublisher publisher) {
        this.calls = calls;
        this.bytes = new Semaphore(calls.queueBytes(), true);
        this.publisher = publisher;
        this.address = publisher.address();
    }

    public static CompletableFuture<NodePublisher> listen(
            Node node, InetSocketAddress address, PublisherOptions options) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(options, "options");
        WorkerThread thread = node.workerThread();
        NodeCalls calls = new NodeCalls(node, thread);
        return calls.make(
                worker -> {
                    SharedPublisher shared = new SharedPublisher(calls, LivePublisher.listen(worker, address, options));
                    shared.publisher.serve(shared);
                    worker.attach(shared);
                    return shared;
                },
                unwanted -> {
                    CompletableFuture<Void> _ = unwanted.startClose();
                });
    }

    @Override
    public CompletableFuture<NodeTopic> topic(String name, TopicOptions options) {
        return calls.make(
                _ -> {
                    if (publisher.isClosing()) {
                        throw NodeCalls.closed("publisher is closed", name, "make another publisher");
                    }
                    return new SharedTopic(this, calls, publisher.topic(name, options));
                },
                unwanted -> {
                    CompletableFuture<Void> _ = unwanted.close();
                });
    }

    /** Takes bytes for a message that waits; any thread. */
    boolean tryTakeBytes(int count) {
        return calls.acquire(bytes, count);
    }

    /** Gives those back; any thread. */
    void giveBackBytes(int count) {
        bytes.release(count);
    }

    /** The topic has messages that wait for capacity. */
    void stalled(SharedTopic topic) {
        stalled.add(topic);
    }

    /** A caller waits for the topic to be drained. */
    void draining(SharedTopic topic) {
        draining.add(topic);
    }

    /** A flow is to be published, now or when it comes. */
    void serve(TopicSink<?> sink) {
        if (closed) {
            sink.closed();
        } else {
            sinks.add(sink);
        }
    }

    boolean isClosing() {
        return publisher.isClosing();
    }

    @Override
    public int run() {
        int work = 0;
        for (int due = draining.size(); due > 0; due--) {
            SharedTopic topic = draining.remove();
            work += topic.endDrains();
            if (topic.isDraining()) {
                draining.add(topic);
            }
        }
        return work + publishStalled() + publishFlows();
    }

    private int publishFlows() {
        int published = 0;
        for (int due = sinks.size(); due > 0; due--) {
            TopicSink<?> sink = sinks.remove();
            published += sink.run();
            if (!sink.isOver()) {
                sinks.add(sink);
            }
        }
        return published;
    }

    private int publishStalled() {
        int published = 0;
        for (int due = stalled.size(); due > 0; due--) {
            SharedTopic topic = stalled.remove();
            published += topic.retry();
            if (topic.hasPending()) {
                stalled.add(topic);
            }
        }
        return published;
    }

    @Override
    public long maxWaitNs() {
        boolean retries = !stalled.isEmpty() || !draining.isEmpty();
        boolean queued = false;
        for (TopicSink<?> sink : sinks) {
            retries |= sink.isWaiting();
            queued |= sink.hasQueued();
        }
        return retries ? RETRY_NS : queued ? 0 : Long.MAX_VALUE;
    }

    @Override
    public boolean hasPending() {
        return !stalled.isEmpty() || hasQueuedElements();
    }

    private boolean hasQueuedElements() {
        for (TopicSink<?> sink : sinks) {
            if (sink.hasQueued()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void closed(Worker worker) {
        worker.detach(this);
        closed = true;
        stalled.forEach(SharedTopic::failPending);
        stalled.clear();
        draining.forEach(SharedTopic::endDrains);
        draining.clear();
        sinks.forEach(TopicSink::closed);
        sinks.clear();
        calls.complete(ended, null, null);
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public long epoch() {
        return publisher.epoch();
    }

    @Override
    public CompletableFuture<List<SubscriberStats>> subscribers() {
        return calls.call(_ -> publisher.subscribers());
    }

    @Override
    public CompletableFuture<Void> startClose() {
        return calls.runClose(_ -> publisher.startClose()).thenCompose(_ -> ended);
    }

    @Override
    public void close() {
        calls.await(startClose());
    }
}
