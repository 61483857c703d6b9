package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.BackPressure;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * A {@link Topic} of a {@link NodePublisher}. Thread-safe. Implemented by Fairlead only.
 *
 * <p>Messages of one thread are published in the order of its calls. A message is copied before the call returns, so that its memory may be
 * reused at once. At most {@code node.queue-max} messages of a topic wait to be published, and a quarter of {@code node.queue-bytes}; a further
 * call, and a message for which {@link SlowPolicy#BLOCK} finds no capacity, wait or fail with {@link Status#BACK_PRESSURE}, as
 * {@code node.back-pressure} says (see
 * {@link BackPressure}). On a progress thread of the node a call never waits.
 */
public interface NodeTopic {
    /**
     * Publishes a message to the subscribers of that moment.
     *
     * @param message the message, of at most {@link TopicOptions#messageMax()} bytes
     * @return the message's sequence number; fails with what {@link Topic#publish(MemorySegment, long, long)} throws, or with a
     *     {@link FairleadException} whose status is {@link Status#BACK_PRESSURE} or {@link Status#CLOSED}
     */
    default CompletableFuture<Long> publish(byte[] message) {
        return publish(MemorySegment.ofArray(message));
    }

    /**
     * Publishes a message. As {@link #publish(byte[])}.
     *
     * @param message the whole segment, accessible by the calling thread
     * @return the message's sequence number
     */
    CompletableFuture<Long> publish(MemorySegment message);

    /**
     * Publishes a message as the new value of a key. As {@link #publish(byte[])} and {@link Topic#publish(long, MemorySegment, long, long)}.
     *
     * @param key any number of the caller's
     * @param message the whole segment, accessible by the calling thread
     * @return the message's sequence number
     */
    CompletableFuture<Long> publish(long key, MemorySegment message);

    /**
     * Publishes a flow: subscribe what this returns to a {@link Flow.Publisher}. It requests {@link FlowOptions#elementsMax()} elements, and more as those are
     * published. So if {@link SlowPolicy#BLOCK} finds no capacity, no more is requested and no element is lost, whatever
     * {@code node.back-pressure} says.
     *
     * <p>When the flow completes, subscribers are sent what was published before, for as long as that takes, and the topic is closed. When it fails that is
     * logged, and the topic is closed likewise, with {@code REFUSED} for its subscribers; so it is if the mapper throws, or if an element
     * cannot be published, where the flow is cancelled. When the topic or its publisher is closed the flow is cancelled, one that comes afterwards too; a publisher
     * that closes publishes the elements that were signalled before, within its drain timeout. On a progress thread whose queue is full
     * {@link FlowSink#ended()} fails with {@link Status#BACK_PRESSURE}, and the flow is cancelled. A sink without a flow is kept until the topic
     * closes.
     *
     * @param <T> the type of the elements
     * @param options where the flow's publisher is asked for more, and how many elements at once
     * @param mapper makes a message of an element, on the thread that signals it. The whole segment is copied before {@code onNext} returns
     * @return what to subscribe, for one flow
     * @throws IllegalStateException if the topic keeps the last value per key, which needs keys
     */
    <T> FlowSink<T> flow(FlowOptions options, Function<? super T, MemorySegment> mapper);

    /**
     * Publishes a flow with default options. As {@link #flow(FlowOptions, Function)}.
     *
     * @param <T> the type of the elements
     * @param mapper makes a message of an element, on the thread that signals it
     * @return what to subscribe, for one flow
     * @throws IllegalStateException as {@link #flow(FlowOptions, Function)}
     */
    default <T> FlowSink<T> flow(Function<? super T, MemorySegment> mapper) {
        return flow(FlowOptions.defaults(), mapper);
    }

    /**
     * Waits until the subscribers of that moment were sent what was published by earlier calls of this thread, including messages that wait for
     * capacity, and the transport is done with it. That says nothing about what subscribers have consumed. A stalled subscriber delays it until
     * it continues or leaves. Until it completes it counts as a waiting message.
     *
     * @return completes then; fails with {@link Status#CLOSED} if the topic, its publisher or the node closes before, and with {@link Status#BACK_PRESSURE} as
     *     {@link #publish(byte[])} does. Of a topic that has closed with everything sent, while the node lives, it completes
     */
    CompletableFuture<Void> drain();

    /**
     * The topic's name.
     *
     * @return never changes
     */
    String name();

    /**
     * The last sequence number that was published.
     *
     * @return 0 if nothing was published
     */
    long sequence();

    /**
     * Subscribers now.
     *
     * @return the number of subscribers that were accepted and have not left
     */
    int subscriberCount();

    /**
     * Ends the topic's subscriptions, as {@link Topic#close()} does. It does not wait until messages were sent, as {@link #drain()} does.
     * Published messages that were not sent are counted as dropped and logged. Messages that wait to be published fail with
     * {@link Status#CLOSED}. Idempotent.
     *
     * @return completes when the topic is closed
     */
    CompletableFuture<Void> close();
}
