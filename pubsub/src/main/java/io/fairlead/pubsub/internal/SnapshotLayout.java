package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.SnapshotOptions;
import java.lang.foreign.MemorySegment;

/**
 * Where things are in the memory region of a snapshot, for the publisher that writes it and the subscribers that get it. Little-endian.
 *
 * <p>A header (mark, epoch), then entries: version, key, sequence, length, checksum (64 bits each), value. The version is 0 in
 * an entry that was never written, odd while it is being written, and even and higher by two after each time. The checksum covers all the rest, so
 * that a get that overlaps a write is found out in whatever order the network reads memory.
 */
final class SnapshotLayout {
    static final int HEADER_BYTES = 64;
    static final long MARK = 0x4C41_4952_464C_5331L;
    static final int EPOCH_AT = 8;

    static final int KEY_AT = 8;
    static final int SEQUENCE_AT = 16;
    static final int LENGTH_AT = 24;
    static final int CHECKSUM_AT = 32;
    static final int VALUE_AT = 40;

    private static final int ENTRY_ALIGNMENT = 64;

    private SnapshotLayout() {}

    static long entryBytes(int valueMax) {
        return ((long) VALUE_AT + valueMax + ENTRY_ALIGNMENT - 1) & -ENTRY_ALIGNMENT;
    }

    static long totalBytes(SnapshotOptions options) {
        return HEADER_BYTES + options.entries() * entryBytes(options.valueMax());
    }

    static long entryAt(SnapshotOptions options, int entry) {
        return HEADER_BYTES + entry * entryBytes(options.valueMax());
    }

    /** The entry of a message if the last messages are kept: each replaces the oldest. */
    static int entryOf(SnapshotOptions options, long sequence) {
        return (int) ((sequence - 1) % options.entries());
    }

    /** The checksum of an entry as it is in memory, taken to be of that version; the value's last word is padded with zeros. */
    static long checksum(MemorySegment segment, long entryAt, long version, long length) {
        long sum = mix(version, segment.get(Wire.LONG, entryAt + KEY_AT));
        sum = mix(sum, segment.get(Wire.LONG, entryAt + SEQUENCE_AT));
        sum = mix(sum, length);
        long end = entryAt + VALUE_AT + length;
        for (long at = entryAt + VALUE_AT; at < end; at += 8) {
            sum = mix(sum, segment.get(Wire.LONG, at));
        }
        return sum;
    }

    /** One step of a hash in which every bit of the input reaches the upper half, and from there the lower. */
    private static long mix(long sum, long word) {
        long product = (sum ^ word) * 0x9E37_79B9_7F4A_7C15L + 0x1656_67B1_9E37_79F9L;
        return product ^ product >>> 32;
    }
}
