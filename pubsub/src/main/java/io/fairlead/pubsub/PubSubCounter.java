package io.fairlead.pubsub;

/** What {@link PubSubStatistics} tells of publish-subscribe on a context. */
public enum PubSubCounter {
    /** Messages published, each once, whatever the number of subscribers. */
    PUBLISHED(true),
    /** Payload bytes of those. */
    BYTES_PUBLISHED(true),
    /** Batches handed to transports, over all subscribers. */
    BATCHES_SENT(true),
    /** Calls of publish that were answered with back-pressure: a slow subscriber, or a transport, held the publisher up. */
    BACK_PRESSURE_EVENTS(true),
    /** Messages dropped for slow subscribers by {@link SlowPolicy#DROP_OLDEST}. */
    MESSAGES_DROPPED(true),
    /** Slow subscribers sent away by {@link SlowPolicy#DISCONNECT}. */
    SLOW_DISCONNECTED(true),
    /** Messages delivered to handlers, those of snapshots included. */
    DELIVERED(true),
    /** Payload bytes of those. */
    BYTES_DELIVERED(true),
    /** Gaps told to subscriptions. */
    GAPS(true),
    /** Messages missed in those gaps. */
    MISSED(true),
    /** Times that a subscription has joined again. */
    REJOINS(true),
    /** Topics that are open now. */
    TOPICS(false),
    /** Subscribers of these topics now. */
    SUBSCRIBERS(false),
    /** Subscriptions that are open now. */
    SUBSCRIPTIONS(false),
    /** How many messages the subscriptions are behind their publishers now, added up. */
    LAG(false),
    /** How many messages the slowest of the subscriptions is behind now. */
    LAG_MAX(false);

    private final boolean lasting;

    PubSubCounter(boolean lasting) {
        this.lasting = lasting;
    }

    /** Whether what a topic or subscription has counted stays when it is closed. */
    boolean lasting() {
        return lasting;
    }
}
