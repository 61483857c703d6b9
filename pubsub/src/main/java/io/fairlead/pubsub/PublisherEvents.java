package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.Worker;

/**
 * Events of the subscribers of a publisher's topics. Every method runs on the worker's thread inside
 * {@link Worker#progress()}; it may publish and close, and the worker refuses {@code progress()} here. What it throws is logged and has no other
 * effect.
 */
public interface PublisherEvents {
    /** Does nothing. */
    PublisherEvents NONE = new PublisherEvents() {};

    /**
     * A subscriber has joined a topic.
     *
     * @param subscriber the subscriber and the topic
     */
    default void joined(SubscriberStats subscriber) {}

    /**
     * A subscriber has left a topic.
     *
     * @param subscriber the subscriber's last statistics
     * @param cause {@code CLOSED} if it disconnected or unsubscribed, {@code LIMIT_REACHED} if it was too slow for
     *     {@link SlowPolicy#DISCONNECT}, {@code PROTOCOL_VIOLATION} if it sent something malformed, else why its connection failed
     */
    default void left(SubscriberStats subscriber, FairleadException cause) {}
}
