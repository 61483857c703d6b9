package io.fairlead.benchmarks.contest;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Buffers of the messages that are on their way at once: as many for each contestant that has such buffers. */
final class Window implements AutoCloseable {
    private static final int MESSAGES = 64;
    /** As many bytes as the caches of a processor keep, since others send from one buffer; or two messages, so that one follows the other. */
    private static final int BYTES = 2 << 20;

    /** Longer messages go one at a time. */
    private static final int LONG = 64 << 20;

    private static final long ALIGNMENT = 64;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment[] outgoing;
    private final MemorySegment[] inbox;

    /** Of messages of a length, no more than can be in flight in either direction; all in one buffer where none is compared. */
    Window(int bytes, int sends, int receives, boolean compared) {
        int most = !compared ? Integer.MAX_VALUE : bytes < LONG ? Math.clamp(BYTES / bytes, 2, MESSAGES) : 1;
        outgoing = buffers(bytes, Math.min(most, sends), compared);
        inbox = buffers(bytes, Math.min(most, receives), compared);
    }

    private MemorySegment[] buffers(int bytes, int count, boolean compared) {
        MemorySegment[] buffers = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = i > 0 && !compared ? buffers[0] : arena.allocate(bytes, ALIGNMENT);
        }
        return buffers;
    }

    MemorySegment[] outgoing() {
        return outgoing;
    }

    MemorySegment[] inbox() {
        return inbox;
    }

    @Override
    public void close() {
        arena.close();
    }
}
