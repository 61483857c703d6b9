package io.fairlead.testkit.roce;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;

/** A region between two others of the same process's memory, which nobody may touch; when it is closed, it is one of them. */
final class GuardedRegion implements AutoCloseable {
    /** A page, which is the granularity of network cards. */
    static final int LENGTH = 4096;

    private static final byte UNTOUCHED = 0x5A;

    private final MemorySegment whole;
    private final MemoryRegion region;
    private boolean closed;

    GuardedRegion(Context context, Arena arena) {
        whole = arena.allocate(3L * LENGTH, LENGTH).fill(UNTOUCHED);
        region = context.register(whole.asSlice(LENGTH, LENGTH), EnumSet.allOf(AccessRight.class));
    }

    byte[] packedKey() {
        return region.packedKey();
    }

    boolean closed() {
        return closed;
    }

    /** What became of the memory that nobody may touch, in words. */
    String guard() {
        boolean good = untouched(0) && untouched(2L * LENGTH) && (!closed || untouched(LENGTH));
        return good ? "memory is untouched" : "MEMORY WAS CHANGED that nobody may touch";
    }

    private boolean untouched(long from) {
        for (long i = from; i < from + LENGTH; i++) {
            if (whole.get(ValueLayout.JAVA_BYTE, i) != UNTOUCHED) {
                return false;
            }
        }
        return true;
    }

    /** Closes the region; its memory stays, and is filled anew. */
    void revoke() {
        if (!closed) {
            closed = true;
            region.close();
            whole.fill(UNTOUCHED);
        }
    }

    @Override
    public void close() {
        revoke();
    }
}
