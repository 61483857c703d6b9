package io.fairlead.pubsub;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Gets a snapshot from the publisher's memory, piece by piece, and puts its values in the order of their sequence numbers.
 *
 * <p>Entries that the publisher changed during the get are left out, as {@link SnapshotTable} explains.
 */
final class SnapshotReader {
    private static final long PIECE_BYTES = 1L << 20;
    private static final int PIECES_IN_FLIGHT_MAX = 4;

    private final Endpoint endpoint;
    private final SnapshotOptions options;
    private final RemoteKey key;
    private final long totalBytes;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment;
    private final Completion completion = this::got;
    private long posted;
    private int inFlight;
    private boolean retired;
    private Status status = Status.OK;
    /** Entries to deliver, in order. */
    private int[] order = new int[0];

    /** Starts nothing; the key must be of this endpoint and as long as the snapshot. */
    SnapshotReader(Endpoint endpoint, SnapshotOptions options, RemoteKey key) {
        this.endpoint = endpoint;
        this.options = options;
        this.key = key;
        this.totalBytes = SnapshotLayout.totalBytes(options);
        this.segment = arena.allocate(totalBytes, 64);
    }

    /** Posts what can be posted. */
    void progress() {
        while (status == Status.OK && posted < totalBytes && inFlight < PIECES_IN_FLIGHT_MAX) {
            long length = Math.min(PIECE_BYTES, totalBytes - posted);
            long result = endpoint.get(segment, posted, length, key, posted, completion, 0);
            if (result < 0) {
                if (result != Status.BACK_PRESSURE.code()) {
                    status = Status.of(result);
                }
                return;
            }
            posted += length;
            inFlight++;
        }
    }

    private void got(Request request) {
        inFlight--;
        if (request.status() != Status.OK) {
            status = request.status();
        }
        if (retired && inFlight == 0) {
            free();
        }
    }

    /** OK, or how the first get failed that did. */
    Status status() {
        return status;
    }

    boolean complete() {
        return status == Status.OK && posted == totalBytes && inFlight == 0;
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
        order = sorted(sequences, entries, count);
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

    /** Frees the memory, now or when the last get has ended. Once only. */
    void retire() {
        retired = true;
        if (inFlight == 0) {
            free();
        }
    }

    private void free() {
        arena.close();
        key.close();
    }
}
