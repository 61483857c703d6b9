package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.Worker;
import io.fairlead.pubsub.internal.LiveSubscriber;
import io.fairlead.spi.host.HostPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * A connection to one publisher, with any number of subscriptions. It reconnects by itself. Implemented by Fairlead only.
 *
 * <p>Belongs to its worker's thread, and is {@linkplain Worker#attach attached} to the worker: {@link Worker#progress()} connects, joins, delivers
 * messages and events, and grants credit for what was consumed. An exception of a handler or an event is logged and has no other effect; a
 * message whose handler has thrown counts as delivered.
 *
 * {@snippet file="io/fairlead/pubsub/PubSubExamples.java" region="subscriber"}
 */
public interface Subscriber extends AutoCloseable {
    /**
     * Makes a subscriber with default options, under the context's configured policy.
     *
     * @param worker the worker of the calling thread
     * @param address where the publisher listens
     * @return the subscriber, connecting as the worker makes progress
     * @throws FairleadException {@code UNKNOWN_HOST} if the address is unresolved
     */
    static Subscriber connect(Worker worker, InetSocketAddress address) {
        return connect(worker, address, SubscriberOptions.defaults());
    }

    /**
     * Makes a subscriber of a publisher whose address is written as text, with default options. The host is looked up before this returns.
     *
     * @param worker the worker of the calling thread
     * @param address {@code HOST:PORT} or {@code [IPV6]:PORT}
     * @return the subscriber, connecting as the worker makes progress
     * @throws FairleadException {@code UNKNOWN_HOST} if the host is unknown
     * @throws IllegalArgumentException if the text is no host and port
     */
    static Subscriber connect(Worker worker, String address) {
        return connect(worker, HostPort.resolve(address, 1));
    }

    /**
     * Makes a subscriber. If the publisher cannot be reached yet, it is tried again as after a lost connection.
     *
     * @param worker the worker of the calling thread
     * @param address where the publisher listens
     * @param options how to connect
     * @return the subscriber, connecting as the worker makes progress
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
     * @param events receives other events than messages
     * @return the subscription, which joins as the worker makes progress; {@link Subscription#joined()} completes then
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
     * Stops the delivery of messages and events, until {@link #resume()}. Inside a handler or an event it stops at once: the next message and the next
     * event wait. The worker's progress keeps the connection alive, messages wait at the
     * publisher when the windows of the subscriptions are full, and a connection that is lost meanwhile is made again after the pause.
     */
    void pause();

    /** Goes on with the delivery after {@link #pause()}, in the worker's next progress. */
    void resume();

    /**
     * Whether delivery is stopped.
     *
     * @return true between {@link #pause()} and {@link #resume()}
     */
    boolean isPaused();

    /**
     * Whether there is a connection to the publisher now.
     *
     * @return true once its handshake is done, until it ends
     */
    boolean connected();

    /**
     * The path that the data takes, and its reason.
     *
     * @return empty while not connected
     */
    Optional<Path> path();

    /**
     * How often the subscriber has reconnected. Any thread.
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
     * Begins to close and returns: the subscriptions are closed, and the connection ends in later progress of the worker. Idempotent.
     */
    void startClose();

    /**
     * Closes the subscriptions and the connection gracefully. Messages that were not delivered are discarded. Idempotent. Inside a
     * completion, handler or task of the worker the connection ends in later progress. Closing the worker closes the subscriber too.
     */
    @Override
    void close();
}
