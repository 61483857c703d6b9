package io.fairlead.pubsub;

/** What a topic does about a subscriber whose backlog has reached {@link TopicOptions#backlogBytes()}. */
public enum SlowPolicy {
    /** Publishing answers {@code BACK_PRESSURE} until every subscriber has room. Nobody misses anything; the slowest sets the pace. */
    BLOCK,
    /** The oldest messages of that subscriber's backlog are dropped; it is told the exact range. Others notice nothing. */
    DROP_OLDEST,
    /** That subscriber's subscription ends with a named reason; it may join again. Others notice nothing. */
    DISCONNECT
}
