package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.Worker;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * A connection to one publisher, with any number of subscriptions, that connects again by itself. Implemented by Fairlead only.
 *
 * <p>Belongs to its worker's thread. Messages and events are delivered inside {@link #progress()}, which that thread calls beside
 * {@link Worker#progress()}, neither of them inside a completion or handler of the worker. A subscriber that calls only the worker's
 * progress stays connected and stops the flow: that is how an application pauses.
 *
 * {@snippet file="io/fairlead/pubsub/PubSubExamples.java" region="subscriber"}
 */
public interface Subscriber extends AutoCloseable {
    /**
     * Makes a subscriber with default options, under the context's configured policy.
     *
     * @param worker the worker of the calling thread
     * @param address where the publisher listens
     * @return the subscriber, connecting as it and the worker make progress
     * @throws FairleadException {@code UNKNOWN_HOST} if the address is unresolved
     */
    static Subscriber connect(Worker worker, InetSocketAddress address) {
        return connect(worker, address, SubscriberOptions.defaults());
    }

    /**
     * Makes a subscriber. A publisher that is not there yet is tried again like one that was lost.
     *
     * @param worker the worker of the calling thread
     * @param address where the publisher listens
     * @param options how to connect
     * @return the subscriber, connecting as it and the worker make progress
     * @throws FairleadException {@code UNKNOWN_HOST} if the address is unresolved
     */
    static Subscriber connect(Worker worker, InetSocketAddress address, SubscriberOptions options) {
        return LiveSubscriber.connect(worker, address, options);
    }

    /**
     * Subscribes to a topic.
     *
     * @param topic its name, 1 to 200 bytes of UTF-8 without control characters
     * @param options how to receive
     * @param handler receives the messages
     * @param events told what happens besides messages
     * @return the subscription, which joins as the subscriber makes progress
     * @throws IllegalArgumentException if the name is not allowed
     * @throws FairleadException {@code LIMIT_REACHED} with more than 4,095 subscriptions
     * @throws IllegalStateException if the subscriber is closed
     */
    Subscription subscribe(
            String topic, SubscriptionOptions options, MessageHandler handler, SubscriptionEvents events);

    /**
     * Subscribes to a topic with default options.
     *
     * @param topic its name
     * @param handler receives the messages
     * @return the subscription
     * @throws IllegalArgumentException as {@link #subscribe(String, SubscriptionOptions, MessageHandler, SubscriptionEvents)}
     * @throws FairleadException as {@link #subscribe(String, SubscriptionOptions, MessageHandler, SubscriptionEvents)}
     */
    default Subscription subscribe(String topic, MessageHandler handler) {
        return subscribe(topic, SubscriptionOptions.defaults(), handler, SubscriptionEvents.NONE);
    }

    /**
     * Connects, joins, delivers messages and events, and grants credit for what was consumed.
     *
     * @return how many things were done, messages included; 0 means that nothing was to be done
     * @throws IllegalStateException if called inside one of this subscriber's handlers
     */
    int progress();

    /**
     * Whether there is a connection to the publisher now.
     *
     * @return true once its handshake is done, until it ends
     */
    boolean connected();

    /**
     * The way that data takes, and why.
     *
     * @return empty while not connected
     */
    Optional<Path> path();

    /**
     * How often the connection was made anew after it had been made before. Any thread.
     *
     * @return a count
     */
    long reconnects();

    /**
     * The subscriptions that were not closed.
     *
     * @return a copy
     */
    List<Subscription> subscriptions();

    /**
     * Closes the subscriptions and the connection with a goodbye; messages that were not delivered are discarded. Idempotent.
     * Not to be called inside a completion or handler of the worker.
     */
    @Override
    void close();
}
