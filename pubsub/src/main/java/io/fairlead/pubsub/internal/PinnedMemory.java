package io.fairlead.pubsub.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory that operations in flight use. It is freed when it has been retired and the last of them has ended. */
final class PinnedMemory {
    private static final int ALIGNMENT = 64;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment;
    private int inFlight;
    private boolean retired;

    PinnedMemory(long bytes) {
        segment = arena.allocate(Math.max(1, bytes), ALIGNMENT);
    }

    MemorySegment segment() {
        return segment;
    }

    boolean idle() {
        return inFlight == 0;
    }

    boolean retired() {
        return retired;
    }

    /** An operation that uses the memory was posted. */
    void begin() {
        inFlight++;
    }

    /** An operation that used the memory has ended. */
    void end() {
        inFlight--;
        freeIfDone();
    }

    /** Nothing new will be posted. */
    void retire() {
        if (!retired) {
            retired = true;
            freeIfDone();
        }
    }

    private void freeIfDone() {
        if (retired && inFlight == 0) {
            arena.close();
        }
    }
}
