package io.fairlead.benchmarks.contest;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Buffers of the messages that are on their way at once: as many for each contestant that has such buffers. */
final class Window implements AutoCloseable {
    private static final int MESSAGES = 64;
    private static final int LONG_MESSAGES = 8;
    private static final int LONG = 128 << 10;
    /** At most so many bytes are on their way, or one message. */
    private static final int BYTES = 64 << 20;

    private static final long ALIGNMENT = 64;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment[] outgoing;
    private final MemorySegment[] inbox;

    /** Of messages of a length, no more than a turn has in either direction. */
    Window(int bytes, int sends, int receives) {
        int most = bytes < LONG ? MESSAGES : Math.clamp(BYTES / bytes, 1, LONG_MESSAGES);
        outgoing = buffers(bytes, Math.min(most, sends));
        inbox = buffers(bytes, Math.min(most, receives));
    }

    private MemorySegment[] buffers(int bytes, int count) {
        MemorySegment[] buffers = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = arena.allocate(bytes, ALIGNMENT);
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
