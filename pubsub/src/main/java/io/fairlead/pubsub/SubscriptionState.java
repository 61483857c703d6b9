package io.fairlead.pubsub;

/** Where a subscription is in its life. */
public enum SubscriptionState {
    /** Not joined: the connection is being made, or the subscription waits to join again. */
    WAITING,
    /** The publisher has been asked, or the snapshot is being read. */
    JOINING,
    /** Messages of the stream are delivered. */
    LIVE,
    /** Over: refused, or given up after the last attempt. It will not join again. */
    ENDED,
    /** Closed by its owner. */
    CLOSED
}
