package io.fairlead.pubsub;

/** What {@link PubSubStatistics} counts on a context. */
public enum PubSubCounter {
    /** Messages published, each once, whatever the number of subscribers. */
    PUBLISHED,
    /** Payload bytes of the published messages. */
    BYTES_PUBLISHED,
    /** Batches handed to transports, over all subscribers. */
    BATCHES_SENT,
    /** Sent batches that subscribers of the same host read in the publisher's memory, without a copy. */
    BATCHES_IN_PLACE,
    /** Calls of publish that were answered with back-pressure: a slow subscriber, or a transport, held the publisher up. */
    BACK_PRESSURE_EVENTS,
    /** Messages that subscribers were not sent: dropped by {@link SlowPolicy#DROP_OLDEST}, or left when their topic closed. */
    MESSAGES_DROPPED,
    /** Slow subscribers sent away by {@link SlowPolicy#DISCONNECT}. */
    SLOW_DISCONNECTED,
    /** Messages delivered to handlers, including snapshots. */
    DELIVERED,
    /** Payload bytes of the delivered messages. */
    BYTES_DELIVERED,
    /** Gaps reported to subscriptions. */
    GAPS,
    /** Messages missed in these gaps. */
    MISSED,
    /** Times that a subscription has joined again. */
    REJOINS,
    /** Topics that are open now. */
    TOPICS,
    /** Subscribers of these topics now. */
    SUBSCRIBERS,
    /** Subscriptions that are open now. */
    SUBSCRIPTIONS,
    /** How many messages the subscriptions are behind their publishers now, added up. */
    LAG,
    /** How many messages the slowest of the subscriptions is behind now. */
    LAG_MAX
}
