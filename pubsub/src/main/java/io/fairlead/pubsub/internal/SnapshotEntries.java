package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.SnapshotOptions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The values of a snapshot in a copy of its memory region, in the order of their sequence numbers.
 *
 * <p>Entries that were overwritten while the copy was made are left out. With last messages, older entries are left out too, see
 * {@link SnapshotTable}.
 */
final class SnapshotEntries {
    private final SnapshotOptions options;
    private final MemorySegment segment;
    /** Entries to deliver, in order. */
    private int[] order = new int[0];

    SnapshotEntries(SnapshotOptions options, MemorySegment segment) {
        this.options = options;
        this.segment = segment;
    }

    /**
     * Finds the values that are whole and belong before the stream.
     *
     * @param epoch the publisher's identity
     * @param after the last sequence number that needs no delivery
     * @param before the first sequence number of the stream
     */
    void select(long epoch, long after, long before) throws Wire.Malformed {
        if (segment.get(Wire.LONG, 0) != SnapshotLayout.MARK
                || segment.get(Wire.LONG, SnapshotLayout.EPOCH_AT) != epoch) {
            throw new Wire.Malformed("memory region holds no snapshot of this publisher: epoch=" + epoch);
        }
        order = options.kind() == SnapshotOptions.Kind.LAST_MESSAGES ? run(after, before) : values(after, before);
    }

    /** The entries of the longest run of messages that ends right before a sequence number. */
    private int[] run(long after, long before) {
        long oldest = Math.max(after + 1, before - options.entries());
        long first = before;
        while (first > oldest && whole(SnapshotLayout.entryOf(options, first - 1)) == first - 1) {
            first--;
        }
        return LongStream.range(first, before)
                .mapToInt(sequence -> SnapshotLayout.entryOf(options, sequence))
                .toArray();
    }

    /** The entries with sequence numbers between the two, in the order of those. */
    private int[] values(long after, long before) {
        int count = 0;
        long[] sequences = new long[16];
        int[] entries = new int[16];
        for (int entry = 0; entry < options.entries(); entry++) {
            long sequence = whole(entry);
            if (sequence > after && sequence < before) {
                if (count == entries.length) {
                    sequences = Arrays.copyOf(sequences, count * 2);
                    entries = Arrays.copyOf(entries, count * 2);
                }
                sequences[count] = sequence;
                entries[count++] = entry;
            }
        }
        return sorted(sequences, entries, count);
    }

    /** The sequence number of an entry, or 0 if it is empty or was being written. */
    private long whole(int entry) {
        long at = SnapshotLayout.entryAt(options, entry);
        long version = segment.get(Wire.LONG, at);
        long length = segment.get(Wire.LONG, at + SnapshotLayout.LENGTH_AT);
        if (version == 0 || (version & 1) == 1 || length < 0 || length > options.valueMax()) {
            return 0;
        }
        long checksum = segment.get(Wire.LONG, at + SnapshotLayout.CHECKSUM_AT);
        if (checksum != SnapshotLayout.checksum(segment, at, version, length)) {
            return 0;
        }
        return Math.max(0, segment.get(Wire.LONG, at + SnapshotLayout.SEQUENCE_AT));
    }

    private static int[] sorted(long[] sequences, int[] entries, int count) {
        return IntStream.range(0, count)
                .boxed()
                .sorted((a, b) -> Long.compare(sequences[a], sequences[b]))
                .mapToInt(i -> entries[i])
                .toArray();
    }

    /** Whether there are values, and their sequence numbers follow each other up to the stream's. */
    boolean isRun() {
        return options.kind() == SnapshotOptions.Kind.LAST_MESSAGES && order.length > 0;
    }

    int count() {
        return order.length;
    }

    long sequence(int index) {
        return segment.get(Wire.LONG, SnapshotLayout.entryAt(options, order[index]) + SnapshotLayout.SEQUENCE_AT);
    }

    long length(int index) {
        return segment.get(Wire.LONG, SnapshotLayout.entryAt(options, order[index]) + SnapshotLayout.LENGTH_AT);
    }

    long valueAt(int index) {
        return SnapshotLayout.entryAt(options, order[index]) + SnapshotLayout.VALUE_AT;
    }

    MemorySegment segment() {
        return segment;
    }
}
