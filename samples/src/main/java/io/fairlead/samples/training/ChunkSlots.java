package io.fairlead.samples.training;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;

/**
 * Memory into which one peer puts chunks, each with a signal that says which it is: chunk {@code n} goes into slot {@code n} modulo the
 * number of slots, and its signal is {@code n}. There are no requests and no acknowledgements: the owner reads a slot when it has been
 * signalled, and the peer must not be further ahead than there are slots. {@link RingSum} explains why it never is.
 *
 * <p>One thread, the worker's.
 */
final class ChunkSlots implements AutoCloseable {
    /** A cache line, so that no slot shares one with the next. */
    private static final long ALIGNMENT = 64;

    private final MemoryRegion region;
    private final long slotBytes;
    private final long[] arrived;

    /** Allocates slots of that many floats each. */
    ChunkSlots(Context context, int slots, int slotLength) {
        slotBytes = (slotLength * (long) Float.BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        arrived = new long[slots];
        Arrays.fill(arrived, -1);
        // Whoever has the key can write here, and nothing else.
        region = context.allocate(slots * slotBytes, Set.of(AccessRight.WRITE));
    }

    /** Where a chunk belongs, in this inbox and in any other of the same form. */
    long offset(long number) {
        return number % arrived.length * slotBytes;
    }

    /** What the peer needs to put anything here. */
    byte[] packedKey() {
        return region.packedKey();
    }

    /** Takes note of a chunk, whose data is visible here. Signals of different chunks may come in any order. */
    void signalled(long number) {
        arrived[Math.floorMod(number, arrived.length)] = number;
    }

    /** Whether a chunk is here. */
    boolean holds(long number) {
        return arrived[(int) (number % arrived.length)] == number;
    }

    /** A chunk that is here. */
    MemorySegment chunk(long number) {
        return region.segment().asSlice(offset(number), slotBytes);
    }

    @Override
    public void close() {
        region.close();
    }
}
