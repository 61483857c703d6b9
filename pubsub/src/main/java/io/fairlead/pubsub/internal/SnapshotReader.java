package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.pubsub.SnapshotOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Gets a snapshot from the publisher's memory, piece by piece, while the publisher goes on writing.
 *
 * <p>Reads towards lower addresses. Of last messages it begins with the newest, which is overwritten last: what the publisher overwrites
 * meanwhile has been read already, up to the oldest that is still intact.
 */
final class SnapshotReader {
    private static final long PIECE_BYTES = 1L << 20;
    private static final int PIECES_IN_FLIGHT_MAX = 4;

    private final Endpoint endpoint;
    private final RemoteKey key;
    private final long totalBytes;
    /** What is below is read first, then what is above. */
    private final long splitAt;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment;
    private final SnapshotEntries entries;
    private final Completion completion = this::got;
    private long posted;
    private int inFlight;
    private boolean retired;
    private Status status = Status.OK;

    /**
     * Starts nothing.
     *
     * @param key of this endpoint, and as long as the snapshot
     * @param nextSequence the sequence number of the stream's first message
     */
    SnapshotReader(Endpoint endpoint, SnapshotOptions options, RemoteKey key, long nextSequence) {
        this.endpoint = endpoint;
        this.key = key;
        this.totalBytes = SnapshotLayout.totalBytes(options);
        this.splitAt = options.kind() == SnapshotOptions.Kind.LAST_MESSAGES
                ? SnapshotLayout.entryAt(options, SnapshotLayout.entryOf(options, nextSequence))
                : totalBytes;
        this.segment = arena.allocate(totalBytes, 64);
        this.entries = new SnapshotEntries(options, segment);
    }

    /** Posts what can be posted. */
    void progress() {
        while (status == Status.OK && posted < totalBytes && inFlight < PIECES_IN_FLIGHT_MAX) {
            long end = posted < splitAt ? splitAt - posted : totalBytes + splitAt - posted;
            long length = Math.min(PIECE_BYTES, posted < splitAt ? end : end - splitAt);
            long offset = end - length;
            long result = endpoint.get(segment, offset, length, key, offset, completion, 0);
            if (result < 0) {
                if (result != Endpoint.BACK_PRESSURE) {
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

    /** What was got; to be read when the get is {@link #complete}. */
    SnapshotEntries entries() {
        return entries;
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
