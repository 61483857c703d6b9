package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.FlowSink;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.Topic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A topic on a progress thread of a node, and the messages that wait to be published. */
final class SharedTopic implements NodeTopic {
    /** One topic has at most this part of what may wait, so that slow subscribers of one leave capacity for others. */
    private static final int TOPIC_SHARE = 4;

    private final SharedPublisher publisher;
    private final NodeCalls calls;
    private final LiveTopic topic;
    /** Of the messages that were called and have not ended. */
    private final Semaphore permits;
    /** The bytes of those. Fair, so that a long message is not overtaken for ever. */
    private final Semaphore bytes;

    private final int bytesMax;
    /** Messages that wait for capacity, in the order of the calls. Belongs to the progress thread. */
    private final ArrayDeque<PendingMessage> pending = new ArrayDeque<>();
    /** In the order of the calls. Belongs to the progress thread. */
    private final ArrayDeque<Drain> drains = new ArrayDeque<>();

    /**
     * A message on its way.
     *
     * @param publication publishes it, and answers as {@link Topic#publish(MemorySegment, long, long)} does
     * @param sequence completes with its number
     */
    private record PendingMessage(Publication publication, CompletableFuture<Long> sequence) {}

    /**
     * A caller waits until everything up to a message was sent.
     *
     * @param sequence of that message
     * @param sent completes then
     */
    private record Drain(long sequence, CompletableFuture<Void> sent) {}

    private interface Publication {
        long tryPublish();
    }

    SharedTopic(SharedPublisher publisher, NodeCalls calls, LiveTopic topic) {
        this.publisher = publisher;
        this.calls = calls;
        this.topic = topic;
        this.permits = new Semaphore(calls.queueMax());
        this.bytesMax = calls.queueBytes() / TOPIC_SHARE;
        this.bytes = new Semaphore(bytesMax, true);
    }

    @Override
    public CompletableFuture<Long> publish(MemorySegment message) {
        return submit(message, copy -> () -> topic.publish(copy, 0, copy.byteSize()));
    }

    @Override
    public CompletableFuture<Long> publish(long key, MemorySegment message) {
        return submit(message, copy -> () -> topic.publish(key, copy, 0, copy.byteSize()));
    }

    /** The caller may use its memory again at once, and the progress thread might have no access to it. */
    private static MemorySegment copyOf(MemorySegment message) {
        return MemorySegment.ofArray(message.toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public <T> FlowSink<T> flow(FlowOptions options, Function<? super T, MemorySegment> mapper) {
        if (topic.keepsValues()) {
            throw new IllegalStateException(
                    "topic keeps the last value per key: topic=" + name() + "; publish its flow yourself, with keys");
        }
        TopicSink<T> sink = new TopicSink<>(publisher, calls, this, Objects.requireNonNull(options, "options"), mapper);
        sink.open();
        return sink;
    }

    /** As {@link Topic#publish(MemorySegment, long, long)}, on the progress thread. */
    long tryPublish(MemorySegment message) {
        return topic.publish(message, 0, message.byteSize());
    }

    /** Whether subscribers were sent all that was published. */
    boolean isSent() {
        return topic.isSent(topic.sequence());
    }

    boolean isClosed() {
        return topic.isClosed();
    }

    /** Closes on the progress thread, and sends subscribers the reason. */
    void endNow(FairleadException cause) {
        topic.close(cause);
        retry();
    }

    @Override
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        if (!calls.acquire(permits, 1)) {
            return CompletableFuture.failedFuture(NodeCalls.backPressure(name()));
        }
        return submit(() -> awaitSent(sent), _ -> sent, 0);
    }

    /** Queued behind the messages that wait to be published. */
    private long awaitSent(CompletableFuture<Void> sent) {
        long sequence = topic.sequence();
        drains.add(new Drain(sequence, sent));
        if (topic.isClosed()) {
            // Its publisher may have closed too, and looks no more.
            endDrains();
        } else if (drains.size() == 1) {
            publisher.draining(this);
        }
        return sequence;
    }

    /** Completes the drains of what was sent by now, and returns how many. */
    int endDrains() {
        int ended = 0;
        for (Drain drain = drains.peek(); drain != null; drain = drains.peek()) {
            boolean sent = topic.isSent(drain.sequence());
            if (!sent && !topic.isClosed()) {
                break;
            }
            drains.remove();
            calls.complete(drain.sent(), null, sent ? null : NodeCalls.notSent(name()));
            ended++;
        }
        return ended;
    }

    boolean isDraining() {
        return !drains.isEmpty();
    }

    /** Publishes a copy, which is made when there is capacity for it. */
    private CompletableFuture<Long> submit(MemorySegment message, Function<MemorySegment, Publication> publishing) {
        int taken = (int) Math.min(message.byteSize(), bytesMax);
        if (!calls.acquire(permits, 1)) {
            return CompletableFuture.failedFuture(NodeCalls.backPressure(name()));
        }
        if (!calls.acquire(bytes, taken)) {
            permits.release();
            return CompletableFuture.failedFuture(NodeCalls.backPressure(name()));
        }
        if (!publisher.tryTakeBytes(taken)) {
            bytes.release(taken);
            permits.release();
            return CompletableFuture.failedFuture(NodeCalls.backPressure(name()));
        }
        Publication publication;
        try {
            publication = publishing.apply(copyOf(message));
        } catch (Throwable thrown) {
            giveBack(taken);
            throw thrown;
        }
        return submit(publication, CompletableFuture::completedFuture, taken);
    }

    private void giveBack(int taken) {
        publisher.giveBackBytes(taken);
        bytes.release(taken);
        permits.release();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The inner future is passed on.
    private <T extends @Nullable Object> CompletableFuture<T> submit(
            Publication publication, Function<Long, CompletableFuture<T>> rest, int taken) {
        CompletableFuture<T> ended = calls.call(_ -> accept(publication))
                .thenCompose(Function.identity())
                .thenCompose(rest);
        // The caller gets a copy of the future, because a cancel takes nothing out of the queue and frees no capacity.
        CompletableFuture<T> result = ended.copy();
        CompletableFuture<T> _ = ended.whenComplete((_, _) -> giveBack(taken));
        return result;
    }

    /** Publishes the message, or queues it behind the waiting messages. On the progress thread. */
    private CompletableFuture<Long> accept(Publication publication) {
        PendingMessage message = new PendingMessage(publication, new CompletableFuture<>());
        if (!pending.isEmpty()) {
            pending.add(message);
            return message.sequence();
        }
        long answer = publication.tryPublish();
        if (answer >= 0) {
            message.sequence().complete(answer);
        } else if (answer != Endpoint.BACK_PRESSURE) {
            message.sequence().completeExceptionally(NodeCalls.topicClosed(name()));
        } else if (!calls.waits()) {
            message.sequence().completeExceptionally(NodeCalls.backPressure(name()));
        } else {
            pending.add(message);
            publisher.stalled(this);
        }
        return message.sequence();
    }

    /** Publishes what finds capacity now, in order. */
    int retry() {
        int ended = 0;
        while (!pending.isEmpty() && retry(pending.peek())) {
            pending.remove();
            ended++;
        }
        return ended;
    }

    private boolean retry(PendingMessage message) {
        long answer;
        try {
            answer = message.publication().tryPublish();
        } catch (Throwable refused) {
            calls.complete(message.sequence(), null, refused);
            return true;
        }
        if (answer == Endpoint.BACK_PRESSURE) {
            return false;
        }
        calls.complete(message.sequence(), answer, answer < 0 ? NodeCalls.topicClosed(name()) : null);
        return true;
    }

    boolean hasPending() {
        return !pending.isEmpty();
    }

    /** The publisher has closed. */
    void failPending() {
        pending.forEach(message -> calls.complete(message.sequence(), null, NodeCalls.topicClosed(name())));
        pending.clear();
    }

    @Override
    public String name() {
        return topic.name();
    }

    @Override
    public long sequence() {
        return topic.sequence();
    }

    @Override
    public int subscriberCount() {
        return topic.subscriberCount();
    }

    @Override
    public CompletableFuture<Void> close() {
        return calls.runClose(_ -> {
            topic.close();
            retry();
        });
    }
}
