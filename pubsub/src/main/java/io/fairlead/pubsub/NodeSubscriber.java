package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.Status;
import io.fairlead.node.Node;
import io.fairlead.pubsub.internal.SharedSubscriber;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * A {@link Subscriber} on a node. Thread-safe. Implemented by Fairlead only.
 *
 * <p>It lives on one of the node's progress threads. Message handlers and events run there, inside the progress of its worker, even if the
 * node has an executor. They must not block; give long work to other threads. Closing the node closes it too.
 */
public interface NodeSubscriber extends AutoCloseable {
    /**
     * Makes a subscriber with default options.
     *
     * @param node the node that does its work
     * @param address where the publisher listens
     * @return the subscriber; fails as {@link #connect(Node, InetSocketAddress, SubscriberOptions)}
     */
    static CompletableFuture<NodeSubscriber> connect(Node node, InetSocketAddress address) {
        return connect(node, address, SubscriberOptions.defaults());
    }

    /**
     * Makes a subscriber. If the publisher cannot be reached yet, it is tried again as after a lost connection.
     *
     * @param node the node that does its work
     * @param address where the publisher listens
     * @param options how to connect
     * @return the subscriber, connecting; fails with a {@link FairleadException} of reason {@code UNKNOWN_HOST}, or {@code CLOSED} if the node is.
     *     Cancelling gives the subscriber up
     */
    static CompletableFuture<NodeSubscriber> connect(Node node, InetSocketAddress address, SubscriberOptions options) {
        return SharedSubscriber.connect(node, address, options);
    }

    /**
     * Makes a subscriber to the publisher that serves under a name, with default options.
     *
     * @param node the node that does its work
     * @param name as for {@link Node#connect(String)}
     * @return the subscriber; fails as {@link #connect(Node, String, SubscriberOptions)}
     */
    static CompletableFuture<NodeSubscriber> connect(Node node, String name) {
        return connect(node, name, SubscriberOptions.defaults());
    }

    /**
     * Makes a subscriber to a service. Each attempt to connect goes to the next of the members that the name has then. A publisher that moves is followed so, and a member
     * that refuses or does not resolve is left for the next. A service that has no member, or does not resolve, is waited for: that is a failed attempt for
     * {@link SubscriberOptions#reconnect()}. While all subscriptions of the subscriber are refused by one member it goes to the next, as
     * {@link SubscriptionOptions#topicTimeout()} says.
     *
     * @param node the node that does its work
     * @param name as for {@link Node#connect(String)}
     * @param options how to connect
     * @return the subscriber, connecting; fails with a {@link FairleadException} of reason {@code UNSUPPORTED} without a resolver for the scheme, or {@code CLOSED} if
     *     the node is. Cancelling gives the subscriber up
     * @throws IllegalArgumentException if the name is malformed
     */
    static CompletableFuture<NodeSubscriber> connect(Node node, String name, SubscriberOptions options) {
        return SharedSubscriber.connect(node, name, options);
    }

    /**
     * Subscribes to a topic. As {@link Subscriber#subscribe(String, SubscriptionOptions, MessageHandler, SubscriptionEvents)}, whose exceptions fail
     * the future; after {@link #startClose()} it fails with {@link Status#CLOSED}.
     *
     * @param topic its name
     * @param options how to receive
     * @param handler receives the messages, on the progress thread
     * @param events receives other events than messages, on the progress thread
     * @return the subscription, before it has joined: messages published before {@link Subscription#joined()} completes may be missed. Any thread may close it. When {@link Subscription#close()} has returned, no handler of it is called any more; inside a
     *     handler of this subscriber, none but the one that closes. A progress thread that is not the subscriber's cannot wait: there the call returns
     *     at once, and handlers may be called until the close has reached the subscriber's thread
     */
    CompletableFuture<Subscription> subscribe(
            String topic, SubscriptionOptions options, MessageHandler handler, SubscriptionEvents events);

    /**
     * Subscribes to a topic with default options.
     *
     * @param topic its name
     * @param handler receives the messages, on the progress thread
     * @return the subscription, as {@link #subscribe(String, SubscriptionOptions, MessageHandler, SubscriptionEvents)} returns it
     */
    default CompletableFuture<Subscription> subscribe(String topic, MessageHandler handler) {
        return subscribe(topic, SubscriptionOptions.defaults(), handler, SubscriptionEvents.NONE);
    }

    /**
     * The messages of a topic as a flow, for one {@link Flow.Subscriber} or many: each has a subscription of its own, which begins at the topic's next
     * message (or as {@link SubscriptionOptions#startAt()} says), and takes a message only when one was requested. What was not requested
     * stays in the window of the subscription and then with the publisher, which sees a slow subscriber: {@link SlowPolicy} says what that does.
     *
     * <p>The flow ends with the first thing that breaks the sequence of messages. {@code onComplete}: the topic was closed, and everything was
     * sent before. {@code onError} with a {@link FairleadException}: messages were missed ({@code LIMIT_REACHED}); the connection was
     * lost ({@code PEER_LOST} or why); the topic was refused, or the flow that is published on it has failed ({@code REFUSED}); the topic, the publisher's node or
     * this subscriber was closed in the middle of it ({@code CLOSED}). {@code onError} with what the mapper threw, or with
     * {@link IllegalArgumentException} for a request of 0 or less. What arrived before is signalled first, so that the end comes once
     * all of that was requested, and needs no demand of its own; the close of this subscriber, the mapper and such a request do not wait for it.
     * If the publisher is not there yet, the flow waits for it as {@link SubscriberOptions#reconnect()} says. After an error a new subscription
     * goes on from
     * then. A {@code Flow.Subscriber} that throws is logged and cancelled.
     *
     * @param <T> the type of the elements
     * @param topic its name
     * @param options how to receive; the window is at the same time what is prefetched, in bytes
     * @param flow where signals come, and how many elements wait for them
     * @param mapper makes an element of a message, on the progress thread. The segment is the message, valid and readable during the call only: copy what is
     *     needed later. It must not block, and null ends the flow
     * @return the flow. {@link Flow.Subscription#cancel()} closes the subscription. If the executor refuses a task the flow fails, and says so on the
     *     progress thread, or in {@code subscribe} on the calling thread
     * @throws IllegalArgumentException if the name is not allowed
     */
    <T> Flow.Publisher<T> flow(
            String topic,
            SubscriptionOptions options,
            FlowOptions flow,
            Function<? super MemorySegment, ? extends T> mapper);

    /**
     * The messages of a topic as a flow, with default options.
     *
     * @param <T> the type of the elements
     * @param topic its name
     * @param mapper makes an element of a message, on the progress thread
     * @return the flow, as {@link #flow(String, SubscriptionOptions, FlowOptions, Function)} returns it
     * @throws IllegalArgumentException if the name is not allowed
     */
    default <T> Flow.Publisher<T> flow(String topic, Function<? super MemorySegment, ? extends T> mapper) {
        return flow(topic, SubscriptionOptions.defaults(), FlowOptions.defaults(), mapper);
    }

    /**
     * The path that the data takes, and its reason.
     *
     * @return empty while not connected, and when closed; fails with {@link Status#CLOSED} if the node is closed
     */
    CompletableFuture<Optional<Path>> path();

    /**
     * How often the subscriber has reconnected.
     *
     * @return a count
     */
    long reconnects();

    /**
     * Stops the delivery of messages and events. As {@link Subscriber#pause()}; inside a handler of this subscriber it acts at once. Does nothing to a closed
     * subscriber.
     *
     * @return completes when no handler will be called any more until {@link #resume()}; fails with {@link Status#CLOSED} if the node is closed
     */
    CompletableFuture<Void> pause();

    /**
     * Goes on with the delivery after {@link #pause()}. Does nothing to a closed subscriber.
     *
     * @return completes when it goes on; fails with {@link Status#CLOSED} if the node is closed
     */
    CompletableFuture<Void> resume();

    /**
     * Begins to close, as {@link Subscriber#close()} does. Inside a handler of this subscriber the subscriptions are closed at once. Idempotent.
     *
     * @return completes when no handler will be called any more; the connection may still be closing. Fails with
     *     {@link Status#BACK_PRESSURE} if the node's queue is full, and nothing has been done
     */
    CompletableFuture<Void> startClose();

    /**
     * Closes as {@link #startClose()} does, and waits until no handler is called any more. On a progress thread, which cannot wait, it returns at once:
     * inside a handler of this subscriber no other handler is called any more all the same. Idempotent.
     *
     * @throws FairleadException as {@link #startClose()} fails
     */
    @Override
    void close();
}
