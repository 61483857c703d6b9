package io.fairlead.pubsub;

import com.google.errorprone.annotations.CheckReturnValue;
import io.fairlead.Status;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A publisher's side of a named sequence of messages. Belongs to the publisher's thread, except for the counts, which any thread may read
 * at no cost to the publisher. Implemented by Fairlead only.
 *
 * <p>Publishing copies the message once and allocates nothing in steady state. Small messages are collected in batches, and all
 * subscribers are sent the same bytes. A batch leaves when it is full, or at the worker's next progress, unless the transport is still
 * busy with the batch before.
 */
public interface Topic extends AutoCloseable {
    /**
     * Publishes a message to the present subscribers.
     *
     * @param message holds the message, heap or native; reusable when this returns
     * @param offset first byte of the message
     * @param length bytes of the message, 0 to {@link TopicOptions#messageMax()}
     * @return the message's sequence number, 1 and up without gaps; or the negative {@linkplain Status#code() code} of
     *     {@link Status#BACK_PRESSURE} if a subscriber has no capacity and the policy is {@link SlowPolicy#BLOCK}, or the transport still holds
     * too many batches (make progress and publish
     *     again); or that of {@link Status#CLOSED}
     * @throws IllegalArgumentException if the message is too long for the topic or its snapshot
     * @throws IndexOutOfBoundsException if the range leaves the segment
     * @throws IllegalStateException if the topic keeps the last value per key, which needs a key
     */
    @CheckReturnValue
    long publish(MemorySegment message, long offset, long length);

    /**
     * Publishes a message as the new value of a key. The key is not sent to subscribers. It decides which value of the snapshot the message
     * replaces. As {@link #publish(MemorySegment, long, long)} otherwise.
     *
     * @param key any number of the caller's
     * @param message holds the message
     * @param offset first byte of the message
     * @param length bytes of the message
     * @return as {@link #publish(MemorySegment, long, long)}
     * @throws IllegalStateException if the topic does not keep the last value per key
     */
    @CheckReturnValue
    long publish(long key, MemorySegment message, long offset, long length);

    /**
     * Publishes a message with a context, which costs 16 bytes and its own in each batch. It is left out while some subscriber of the topic
     * does not know contexts, and where it does not fit a batch, which is logged once. As {@link #publish(MemorySegment, long, long)} otherwise.
     *
     * @param message holds the message
     * @param offset first byte of the message
     * @param length bytes of the message
     * @param context passed to handlers with the message; snapshots have none
     * @return as {@link #publish(MemorySegment, long, long)}
     */
    @CheckReturnValue
    long publish(MemorySegment message, long offset, long length, MessageContext context);

    /**
     * Publishes a message as the new value of a key, with a context. As {@link #publish(long, MemorySegment, long, long)} and
     * {@link #publish(MemorySegment, long, long, MessageContext)}.
     *
     * @param key any number of the caller's
     * @param message holds the message
     * @param offset first byte of the message
     * @param length bytes of the message
     * @param context passed to handlers with the message
     * @return as {@link #publish(MemorySegment, long, long)}
     */
    @CheckReturnValue
    long publish(long key, MemorySegment message, long offset, long length, MessageContext context);

    /**
     * The topic's name.
     *
     * @return never changes
     */
    String name();

    /**
     * How the topic behaves.
     *
     * @return never changes
     */
    TopicOptions options();

    /**
     * The last sequence number that was published. Any thread.
     *
     * @return 0 if nothing was published
     */
    long sequence();

    /**
     * Subscribers now. Any thread.
     *
     * @return the number of subscribers that were accepted and have not left
     */
    int subscriberCount();

    /**
     * Payload bytes published. Any thread.
     *
     * @return bytes, each message once, whatever the number of subscribers
     */
    long bytesPublished();

    /**
     * Batches handed to the transport, over all subscribers. Any thread.
     *
     * @return a count
     */
    long batchesSent();

    /**
     * Calls of publish that were answered {@code BACK_PRESSURE}. Any thread.
     *
     * @return a count
     */
    long backPressureEvents();

    /**
     * Messages that subscribers were not sent: dropped by {@link SlowPolicy#DROP_OLDEST}, or left when the topic closed. Over all subscribers, past ones
     * included. Any thread.
     *
     * @return a count
     */
    long messagesDropped();

    /**
     * The topic's subscribers now. Allocates; the publisher's thread only.
     *
     * @return a copy
     */
    List<SubscriberStats> subscribers();

    /**
     * Ends the topic's subscriptions after the messages that were sent, and frees the topic's memory. Messages that were not sent yet are
     * dropped, counted by {@link #messagesDropped()} and logged: wait for {@link Publisher#drained()} if they matter. Idempotent.
     */
    @Override
    void close();
}
