package io.fairlead.pubsub.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The headers of a stream's messages that are on their way: each is in use until its send has completed. */
final class Headers {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment[] places;
    private final MemorySegment[] heads;
    /** A bit for each that is free. */
    private int free;

    /** Makes up to 31 headers. */
    Headers(int count) {
        MemorySegment memory = arena.allocate((long) count * Wire.PLACE_HEAD_BYTES, 64);
        places = new MemorySegment[count];
        heads = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            places[i] = memory.asSlice((long) i * Wire.PLACE_HEAD_BYTES, Wire.PLACE_HEAD_BYTES);
            heads[i] = places[i].asSlice(0, Wire.HEAD_BYTES);
        }
        free = (1 << count) - 1;
    }

    /** Takes a header. There are as many as messages may be on their way. */
    int take() {
        if (free == 0) {
            throw new IllegalStateException("all headers are in use: count=" + heads.length);
        }
        int header = Integer.numberOfTrailingZeros(free);
        free &= free - 1;
        return header;
    }

    /** The memory of a header that says no place. */
    MemorySegment head(int header) {
        return heads[header];
    }

    /** The memory of the header of a PLACE. */
    MemorySegment place(int header) {
        return places[header];
    }

    void giveBack(int header) {
        free |= 1 << header;
    }

    /** Frees the memory; no header may be in use. */
    void free() {
        arena.close();
    }
}
