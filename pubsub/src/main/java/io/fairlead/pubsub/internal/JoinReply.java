package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.SnapshotOptions.Kind;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * A publisher's answer to a join that it accepts: the payload of a JOINED, whose value is the sequence number of the stream's first
 * message. On the wire: epoch, longest message (64 bits each), batch size, then of the snapshot, all 0 if none was asked for: kind, entries,
 * longest value, length of the key (32 bits each), 4 bytes of padding, and the key.
 *
 * @param epoch the publisher's identity
 * @param nextSequence the sequence number of the stream's first message
 * @param messageMax the topic's longest message
 * @param batchBytes the topic's greatest batch
 * @param snapshot how the snapshot is laid out, or empty
 * @param snapshotKey the packed remote key of the snapshot; empty without one
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared; it is carried from one method to the next.
record JoinReply(
        long epoch,
        long nextSequence,
        long messageMax,
        int batchBytes,
        Optional<SnapshotOptions> snapshot,
        byte[] snapshotKey) {
    private static final int FIXED_BYTES = 40;
    static final int KEY_BYTES_MAX = Wire.NOTICE_BYTES_MAX - FIXED_BYTES;

    private static final int KIND_NONE = 0;
    private static final int KIND_LAST_VALUES = 1;
    private static final int KIND_LAST_MESSAGES = 2;

    private static int code(SnapshotOptions options) {
        return options.kind() == Kind.LAST_VALUES ? KIND_LAST_VALUES : KIND_LAST_MESSAGES;
    }

    /** Writes the payload and returns its length. */
    int encode(MemorySegment segment) {
        segment.set(Wire.LONG, 0, epoch);
        segment.set(Wire.LONG, 8, messageMax);
        segment.set(Wire.INT, 16, batchBytes);
        segment.set(Wire.INT, 20, snapshot.map(JoinReply::code).orElse(KIND_NONE));
        segment.set(Wire.INT, 24, snapshot.map(SnapshotOptions::entries).orElse(0));
        segment.set(Wire.INT, 28, snapshot.map(SnapshotOptions::valueMax).orElse(0));
        segment.set(Wire.INT, 32, snapshotKey.length);
        segment.set(Wire.INT, 36, 0);
        Wire.putBytes(segment, FIXED_BYTES, snapshotKey);
        return FIXED_BYTES + snapshotKey.length;
    }

    /** Reads a payload that a peer sent. */
    static JoinReply decode(MemorySegment segment, long at, long payload, long nextSequence) throws Malformed {
        if (payload < FIXED_BYTES) {
            throw new Malformed(
                    "answer to a join is too short: length=" + payload + ", at least " + FIXED_BYTES + " bytes");
        }
        long epoch = segment.get(Wire.LONG, at);
        long messageMax = segment.get(Wire.LONG, at + 8);
        int batchBytes = segment.get(Wire.INT, at + 16);
        int kind = segment.get(Wire.INT, at + 20);
        int keyBytes = segment.get(Wire.INT, at + 32);
        if (epoch == 0 || messageMax < 0 || nextSequence < 1) {
            throw new Malformed("answer to a join is out of range: epoch=" + epoch + ", messageMax=" + messageMax
                    + ", nextSequence=" + nextSequence);
        }
        if (batchBytes < 1024 || batchBytes > 1 << 20 || batchBytes % 64 != 0) {
            throw new Malformed("batch size out of range: batchBytes=" + batchBytes);
        }
        if (kind < 0 || kind > KIND_LAST_MESSAGES || keyBytes != payload - FIXED_BYTES) {
            throw new Malformed("snapshot of the answer to a join is out of range: kind=" + kind + ", key=" + keyBytes
                    + ", payload=" + payload + " bytes");
        }
        Optional<SnapshotOptions> snapshot = Optional.empty();
        if (kind != KIND_NONE) {
            try {
                snapshot = Optional.of(new SnapshotOptions(
                        kind == KIND_LAST_VALUES ? Kind.LAST_VALUES : Kind.LAST_MESSAGES,
                        segment.get(Wire.INT, at + 24),
                        segment.get(Wire.INT, at + 28)));
            } catch (IllegalArgumentException e) {
                throw new Malformed(String.valueOf(e.getMessage()));
            }
        }
        byte[] key = segment.asSlice(at + FIXED_BYTES, keyBytes).toArray(ValueLayout.JAVA_BYTE);
        return new JoinReply(epoch, nextSequence, messageMax, batchBytes, snapshot, key);
    }
}
