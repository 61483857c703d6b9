package io.fairlead.pubsub;

/** What a topic does about a subscriber whose backlog has reached {@link TopicOptions#backlogBytes()}. */
public enum SlowPolicy {
    /** Publishing returns {@code BACK_PRESSURE} until every subscriber has capacity. No subscriber misses a message; the slowest sets the pace. */
    BLOCK,
    /** The oldest messages of that subscriber's backlog are dropped; the exact range is reported to it. Other subscribers are not affected. */
    DROP_OLDEST,
    /** That subscriber's subscription ends with a named reason; it may join again. Other subscribers are not affected. */
    DISCONNECT
}
