package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import java.util.concurrent.CompletableFuture;

/**
 * One topic of a {@link Subscriber}. Belongs to the subscriber's thread, except for the counts, which any thread may read at no cost to
 * the subscriber. Implemented by Fairlead only.
 */
public interface Subscription extends AutoCloseable {
    /**
     * The topic's name.
     *
     * @return never changes
     */
    String topic();

    /**
     * The state of the subscription. Any thread.
     *
     * @return as of the last progress
     */
    SubscriptionState state();

    /**
     * The first join. Any thread may call it.
     *
     * @return completes with this subscription when the publisher has accepted it: each message published from then on is delivered, or reported as a
     *     {@link SubscriptionEvents#gap gap}. A later join changes nothing. Completes inside the worker's progress, whose thread must not wait for it; for a subscription of a node
     *     as the node's futures do. Fails with a {@link FairleadException}: the cause if the subscription ends before, of reason {@code CLOSED} if it or
     *     its subscriber is closed before. The same at each call, and nobody else can complete or cancel it; a time-out belongs to the future that {@code orTimeout} returns
     */
    CompletableFuture<Subscription> joined();

    /**
     * Messages delivered, including snapshots. Any thread.
     *
     * @return a count
     */
    long received();

    /**
     * Payload bytes delivered. Any thread.
     *
     * @return bytes
     */
    long bytesReceived();

    /**
     * Gaps reported. Any thread.
     *
     * @return a count
     */
    long gaps();

    /**
     * Messages missed in those gaps. Any thread.
     *
     * @return a count; what was missed because the publisher was restarted is unknown and not in it
     */
    long missed();

    /**
     * How often it has joined again. Any thread.
     *
     * @return a count
     */
    long rejoins();

    /**
     * How far it is behind: messages that the publisher had published when it sent the last batch that arrived here, and that have been neither
     * delivered nor missed. Any thread.
     *
     * @return a count of messages
     */
    long lag();

    /**
     * The last sequence number delivered. Any thread.
     *
     * @return 0 if none of this publisher was
     */
    long lastSequence();

    /**
     * Leaves the topic; handler and events are not called any more. Idempotent. May be called inside of them. A subscription of a node may be closed on any
     * thread, see {@link NodeSubscriber#subscribe(String, SubscriptionOptions, MessageHandler, SubscriptionEvents)}.
     */
    @Override
    void close();
}
