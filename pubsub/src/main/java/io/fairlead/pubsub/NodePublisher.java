package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Node;
import io.fairlead.pubsub.internal.SharedPublisher;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link Publisher} on a node: its topics are published from any thread, virtual ones included. Thread-safe. Implemented by Fairlead only.
 *
 * <p>It runs on one of the node's progress threads, beside the node's peers. Futures complete as the node's own do.
 * {@link PublisherEvents} run on the progress thread, even if the node has an executor, and must not block. Closing the node closes the
 * publisher too, without waiting for it to drain.
 */
public interface NodePublisher extends AutoCloseable {
    /**
     * Makes a publisher that listens, with default bounds.
     *
     * @param node the node that does its work
     * @param address where to listen; port 0 takes a free one
     * @return the publisher; fails as {@link #listen(Node, InetSocketAddress, PublisherOptions)}
     */
    static CompletableFuture<NodePublisher> listen(Node node, InetSocketAddress address) {
        return listen(node, address, PublisherOptions.defaults());
    }

    /**
     * Makes a publisher that listens. A subscriber that asks for a topic before it is made asks again, for {@link SubscriptionOptions#topicTimeout()}.
     *
     * @param node the node that does its work
     * @param address where to listen; port 0 takes a free one
     * @param options its bounds
     * @return the publisher, accepting; fails with a {@link FairleadException} of reason {@code ADDRESS_UNAVAILABLE}, {@code UNKNOWN_HOST}, or
     *     {@code CLOSED} if the node is. Cancelling it ends the attempt
     */
    static CompletableFuture<NodePublisher> listen(Node node, InetSocketAddress address, PublisherOptions options) {
        return SharedPublisher.listen(node, address, options);
    }

    /**
     * Creates a topic. As {@link Publisher#topic(String, TopicOptions)}, whose exceptions fail the future; after {@link #startClose()} it fails with
     * {@link Status#CLOSED}, as publishing does.
     *
     * @param name its name
     * @param options how it behaves
     * @return the topic, open for subscribers
     */
    CompletableFuture<NodeTopic> topic(String name, TopicOptions options);

    /**
     * Creates a topic with default options.
     *
     * @param name its name
     * @return the topic, open for subscribers
     */
    default CompletableFuture<NodeTopic> topic(String name) {
        return topic(name, TopicOptions.defaults());
    }

    /**
     * The address at which it listens.
     *
     * @return the address with the port that was taken
     */
    InetSocketAddress address();

    /**
     * The identity of this publisher, by which subscribers distinguish a restart from a reconnect.
     *
     * @return a random number other than 0
     */
    long epoch();

    /**
     * The subscribers of all topics.
     *
     * @return a copy, topic by topic
     */
    CompletableFuture<List<SubscriberStats>> subscribers();

    /**
     * Begins to close: what was published before is sent for at most {@link PublisherOptions#drainTimeout()}, then subscribers are sent the end.
     * What was not sent by then is counted as dropped and logged; {@link NodeTopic#drain()} waits for as long as it takes. Idempotent.
     *
     * @return completes when nothing is left of the publisher; fails with {@link Status#BACK_PRESSURE} if the node's queue is full, and nothing
     *     has been done
     */
    CompletableFuture<Void> startClose();

    /**
     * Closes as {@link #startClose()} does and waits for the end, but on a progress thread of the node, where it only starts to close. Idempotent.
     *
     * @throws FairleadException as {@link #startClose()} fails
     */
    @Override
    void close();
}
