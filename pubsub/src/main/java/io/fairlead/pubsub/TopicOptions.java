package io.fairlead.pubsub;

import io.fairlead.pubsub.internal.Limits;
import java.util.Objects;
import java.util.Optional;

/**
 * How a topic behaves. Immutable; start from {@link #defaults()} and change what is needed with the {@code with} methods, in any order. Where two of
 * them cannot hold together, the later one does, and changes the other as it says.
 *
 * @param slowPolicy what happens to a subscriber whose backlog is full
 * @param batchBytes the most that goes into one batch, a multiple of 64 from 1,024 to 1,048,576 bytes; every message takes 16
 *     bytes besides its own, rounded up to 8, and one that does not fit a batch travels by itself
 * @param backlogBytes the most that is kept for the slowest subscriber, 2 batches to 2^40 bytes; beside it the publisher keeps what subscribers of its own
 *     host read where it is, at most {@link SubscriptionOptions#windowBytes} of each
 * @param messageMax the longest message, 0 to half of the backlog in bytes
 * @param subscribersMax subscribers at once, 1 to 65,535
 * @param snapshot what is kept for {@link StartAt#SNAPSHOT}, or empty
 */
public record TopicOptions(
        SlowPolicy slowPolicy,
        int batchBytes,
        long backlogBytes,
        long messageMax,
        int subscribersMax,
        Optional<SnapshotOptions> snapshot) {
    private static final int BATCH_BYTES_MIN = 1024;
    private static final int BATCH_BYTES_MAX = 1 << 20;
    private static final int BATCH_STEP = 64;

    private static final TopicOptions DEFAULTS =
            new TopicOptions(SlowPolicy.BLOCK, 32 << 10, 4L << 20, 1L << 20, 1024, Optional.empty());

    /** Checks the ranges. */
    public TopicOptions {
        Objects.requireNonNull(slowPolicy, "slowPolicy");
        Objects.requireNonNull(snapshot, "snapshot");
        Limits.range("batchBytes", batchBytes, BATCH_BYTES_MIN, BATCH_BYTES_MAX, "bytes");
        if (batchBytes % BATCH_STEP != 0) {
            throw new IllegalArgumentException(
                    "option out of range: batchBytes=" + batchBytes + ", allowed multiples of 64 bytes");
        }
        Limits.range("backlogBytes", backlogBytes, 2L * batchBytes, 1L << 40, "bytes (2 batches and up)");
        Limits.range("messageMax", messageMax, 0, backlogBytes / 2, "bytes (half of backlogBytes)");
        Limits.range("subscribersMax", subscribersMax, 1, 65_535, "");
    }

    /**
     * Blocks for slow subscribers, batches of 32 KiB, a backlog of 4 MiB, messages up to 1 MiB, 1,024 subscribers, no snapshot.
     *
     * @return always the same
     */
    public static TopicOptions defaults() {
        return DEFAULTS;
    }

    /**
     * A copy with another policy for slow subscribers.
     *
     * @param value the policy
     * @return the copy
     */
    public TopicOptions withSlowPolicy(SlowPolicy value) {
        return new TopicOptions(value, batchBytes, backlogBytes, messageMax, subscribersMax, snapshot);
    }

    /**
     * A copy with another greatest batch, and with {@link #backlogBytes()} raised to two of those where it is below.
     *
     * @param value bytes
     * @return the copy
     */
    public TopicOptions withBatchBytes(int value) {
        return new TopicOptions(
                slowPolicy, value, Math.max(backlogBytes, 2L * value), messageMax, subscribersMax, snapshot);
    }

    /**
     * A copy with another backlog, and with {@link #batchBytes()} and {@link #messageMax()} lowered to half of it where they are above that.
     *
     * @param value bytes
     * @return the copy
     */
    public TopicOptions withBacklogBytes(long value) {
        int batchMax = Math.clamp(value / 2, BATCH_BYTES_MIN, BATCH_BYTES_MAX) / BATCH_STEP * BATCH_STEP;
        return new TopicOptions(
                slowPolicy,
                Math.min(batchBytes, batchMax),
                value,
                Math.min(messageMax, value / 2),
                subscribersMax,
                snapshot);
    }

    /**
     * A copy with another longest message, and with {@link #backlogBytes()} raised to twice that where it is below.
     *
     * @param value bytes
     * @return the copy
     */
    public TopicOptions withMessageMax(long value) {
        return new TopicOptions(
                slowPolicy,
                batchBytes,
                Math.max(backlogBytes, Math.min(value, 1L << 39) * 2),
                value,
                subscribersMax,
                snapshot);
    }

    /**
     * A copy with another number of subscribers.
     *
     * @param value subscribers at once
     * @return the copy
     */
    public TopicOptions withSubscribersMax(int value) {
        return new TopicOptions(slowPolicy, batchBytes, backlogBytes, messageMax, value, snapshot);
    }

    /**
     * A copy that keeps a snapshot.
     *
     * @param value what to keep
     * @return the copy
     */
    public TopicOptions withSnapshot(SnapshotOptions value) {
        return new TopicOptions(
                slowPolicy,
                batchBytes,
                backlogBytes,
                messageMax,
                subscribersMax,
                Optional.of(Objects.requireNonNull(value, "snapshot")));
    }
}
