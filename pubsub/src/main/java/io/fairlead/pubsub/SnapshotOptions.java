package io.fairlead.pubsub;

import io.fairlead.pubsub.internal.Limits;
import java.util.Objects;

/**
 * What a topic keeps for subscribers that join with {@link StartAt#SNAPSHOT}: a memory region of {@code entries} values that they
 * read with one-sided gets, which costs the publisher one more copy of each message and nothing per subscriber. Immutable.
 *
 * @param kind what an entry is
 * @param entries how many entries are kept, 1 to 16,777,216
 * @param valueMax the longest message in bytes, 0 to 1,048,576; longer ones are broken rules of {@code publish}
 */
public record SnapshotOptions(Kind kind, int entries, int valueMax) {
    /** What an entry of a snapshot is. */
    public enum Kind {
        /** The last message of a key; publish with {@link Topic#publish(long, java.lang.foreign.MemorySegment, long, long)}. */
        LAST_VALUES,
        /** One of the last messages of the topic. */
        LAST_MESSAGES
    }

    /** Checks the ranges. */
    public SnapshotOptions {
        Objects.requireNonNull(kind, "kind");
        Limits.range("snapshot.entries", entries, 1, 1 << 24, "");
        Limits.range("snapshot.valueMax", valueMax, 0, 1 << 20, "bytes");
    }

    /**
     * Keeps the last message of each key. When more keys are in use, the key that was published longest ago is dropped. A key that is published again while a subscriber
     * reads the snapshot may be left out of it: the subscriber receives the newer message in the stream.
     *
     * @param keysMax how many keys are kept
     * @param valueMax the longest message, in bytes
     * @return the options
     */
    public static SnapshotOptions lastValues(int keysMax, int valueMax) {
        return new SnapshotOptions(Kind.LAST_VALUES, keysMax, valueMax);
    }

    /**
     * Keeps the last messages of the topic. A subscriber receives them without a gap up to the stream, except that one of the oldest is
     * lost for each message that is published before it has read them.
     *
     * @param count how many messages are kept
     * @param valueMax the longest message, in bytes
     * @return the options
     */
    public static SnapshotOptions lastMessages(int count, int valueMax) {
        return new SnapshotOptions(Kind.LAST_MESSAGES, count, valueMax);
    }
}
