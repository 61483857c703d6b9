package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory for rings, used again and again: jcstress makes millions of states, of which a thousand exist at once. */
final class Slabs {
    private static final int COUNT = 4096;

    private static final MemorySegment ALL = Arena.global().allocate((long) COUNT * RingSlots.SLAB_SIZE, Ring.LINE);
    private static final AtomicInteger NEXT = new AtomicInteger();

    private Slabs() {}

    /** Returns a slab whose words, and those of its ring's first records, are zero. */
    static long next() {
        int index = Math.floorMod(NEXT.getAndIncrement(), COUNT);
        long slab = ALL.address() + (long) index * RingSlots.SLAB_SIZE;
        Ring.MEMORY.set(JAVA_LONG, slab, 0L);
        long ring = RingSlots.ringAddress(slab);
        for (long at = 0; at < Ring.RECORDS_AT + 4 * Ring.LINE; at += Long.BYTES) {
            Ring.MEMORY.set(JAVA_LONG, ring + at, 0L);
        }
        return slab;
    }
}
