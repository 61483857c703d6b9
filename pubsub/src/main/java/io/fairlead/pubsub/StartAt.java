package io.fairlead.pubsub;

/** What a subscription receives first. */
public enum StartAt {
    /** The next message that is published after the join. */
    NEXT,
    /**
     * The topic's snapshot, read by one-sided get, and then the stream, without a duplicate or a gap between them. The topic must
     * keep one ({@link TopicOptions#withSnapshot}), and the path must be able to get.
     */
    SNAPSHOT
}
