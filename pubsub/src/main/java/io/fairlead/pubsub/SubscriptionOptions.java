package io.fairlead.pubsub;

import io.fairlead.pubsub.internal.Limits;
import java.time.Duration;
import java.util.Objects;

/**
 * How a subscription receives. Immutable; start from {@link #defaults()}.
 *
 * @param startAt what is received first
 * @param windowBytes memory for batches that have been sent and not yet consumed, 4,096 to 2^30 bytes; it must hold at least two of the
 *     topic's batches, and the publisher is granted credit for as many as it holds
 * @param messageMax the longest message that is accepted, 0 to 2^39 bytes; a topic that permits longer ones refuses the subscription
 * @param snapshotMax the largest snapshot that is accepted, 4,096 to 2^40 bytes
 * @param topicTimeout how long a topic that the publisher does not have is asked for again before the subscription ends with {@code REFUSED}, 0 to 365 days. The
 *     time in which the publisher cannot be reached does not count, and a join starts it anew. A subscriber that was given the name of a service asks its members for as
 *     long, whatever they refuse for
 */
public record SubscriptionOptions(
        StartAt startAt, long windowBytes, long messageMax, long snapshotMax, Duration topicTimeout) {
    /** The longest {@link #topicTimeout()}. */
    public static final Duration TOPIC_TIMEOUT_MAX = Duration.ofDays(365);

    private static final SubscriptionOptions DEFAULTS =
            new SubscriptionOptions(StartAt.NEXT, 1L << 20, 64L << 20, 256L << 20, Duration.ofSeconds(30));

    /** Checks the ranges. */
    public SubscriptionOptions {
        Objects.requireNonNull(startAt, "startAt");
        Limits.range("windowBytes", windowBytes, 4096, 1L << 30, "bytes");
        Limits.range("messageMax", messageMax, 0, 1L << 39, "bytes");
        Limits.range("snapshotMax", snapshotMax, 4096, 1L << 40, "bytes");
        Limits.duration("topicTimeout", topicTimeout, Duration.ZERO, TOPIC_TIMEOUT_MAX);
    }

    /**
     * Starts at the next message, with a window of 1 MiB, messages up to 64 MiB and snapshots up to 256 MiB, and asks 30 s for a topic.
     *
     * @return always the same
     */
    public static SubscriptionOptions defaults() {
        return DEFAULTS;
    }

    /**
     * A copy with another start.
     *
     * @param value what is received first
     * @return the copy
     */
    public SubscriptionOptions withStartAt(StartAt value) {
        return new SubscriptionOptions(value, windowBytes, messageMax, snapshotMax, topicTimeout);
    }

    /**
     * A copy with another window.
     *
     * @param value bytes
     * @return the copy
     */
    public SubscriptionOptions withWindowBytes(long value) {
        return new SubscriptionOptions(startAt, value, messageMax, snapshotMax, topicTimeout);
    }

    /**
     * A copy with another longest message.
     *
     * @param value bytes
     * @return the copy
     */
    public SubscriptionOptions withMessageMax(long value) {
        return new SubscriptionOptions(startAt, windowBytes, value, snapshotMax, topicTimeout);
    }

    /**
     * A copy with another largest snapshot.
     *
     * @param value bytes
     * @return the copy
     */
    public SubscriptionOptions withSnapshotMax(long value) {
        return new SubscriptionOptions(startAt, windowBytes, messageMax, value, topicTimeout);
    }

    /**
     * A copy that asks for a topic for another time.
     *
     * @param value how long; {@link Duration#ZERO} to end with the first refusal
     * @return the copy
     */
    public SubscriptionOptions withTopicTimeout(Duration value) {
        return new SubscriptionOptions(startAt, windowBytes, messageMax, snapshotMax, value);
    }
}
