package io.fairlead.pubsub;

/** How a topic's subscriber is doing, as its publisher sees it. */
public enum SubscriberState {
    /** It has been accepted and has granted no credit yet. */
    JOINING,
    /** Everything published has been sent to it, or is being sent. */
    LIVE,
    /** Messages wait for it to grant credit. */
    SLOW
}
