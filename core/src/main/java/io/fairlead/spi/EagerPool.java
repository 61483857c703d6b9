package io.fairlead.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Native memory of one worker for eager messages that no receive has matched yet. How much it can come to is bounded by the
 * credits that the core has granted.
 *
 * <p>Blocks are powers of two, cut from slabs of one size each, so that a message that stays for long holds up nothing but its own
 * block. Every method is called from the worker's thread.
 */
public final class EagerPool implements AutoCloseable {
    private static final int SMALLEST_BITS = 6;
    private static final int SLAB_BYTES = 64 << 10;
    /** Empty slabs beyond this go back to the system. */
    private static final long IDLE_MAX = 4 << 20;

    /** Blocks of one size. */
    public static final class Slab {
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment memory;
        private final int blockBits;
        /** Blocks free for use, the last one first. */
        private final int[] free;

        private int freeCount;
        private int taken;
        /** Links of the slabs of this size that have free blocks. */
        private @Nullable Slab previous;

        private @Nullable Slab next;

        private Slab(int blockBits) {
            this.blockBits = blockBits;
            int blocks = Math.max(1, SLAB_BYTES >> blockBits);
            memory = arena.allocate((long) blocks << blockBits, 64);
            free = new int[blocks];
            for (int block = blocks - 1; block >= 0; block--) {
                free[freeCount++] = block;
            }
        }

        /**
         * The memory of all of its blocks.
         *
         * @return confined to the worker's thread
         */
        public MemorySegment memory() {
            return memory;
        }

        /**
         * Where a block begins.
         *
         * @param block what {@link #taken} gave
         * @return bytes from the beginning of {@link #memory}
         */
        public long offset(int block) {
            return (long) block << blockBits;
        }

        /**
         * The block that was taken last.
         *
         * @return its number in this slab
         */
        public int taken() {
            return taken;
        }

        private boolean isEmpty() {
            return freeCount == free.length;
        }
    }

    private final Slab[] available = new Slab[Integer.SIZE];
    private final List<Slab> all = new ArrayList<>();
    private long idleBytes;

    /** Creates a pool without memory. */
    public EagerPool() {}

    /**
     * Takes a block.
     *
     * @param length bytes, 0 and up
     * @return the slab, of which {@link Slab#taken()} is the block
     */
    public Slab take(int length) {
        int bits = Math.max(SMALLEST_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, length) - 1));
        Slab slab = available[bits];
        if (slab == null) {
            slab = new Slab(bits);
            all.add(slab);
            link(slab);
        } else if (slab.isEmpty()) {
            idleBytes -= slab.memory.byteSize();
        }
        slab.taken = slab.free[--slab.freeCount];
        if (slab.freeCount == 0) {
            unlink(slab);
        }
        return slab;
    }

    /**
     * Gives a block back.
     *
     * @param slab where it was taken
     * @param block its number there
     */
    public void giveBack(Slab slab, int block) {
        if (slab.freeCount == 0) {
            link(slab);
        }
        slab.free[slab.freeCount++] = block;
        if (slab.isEmpty()) {
            idleBytes += slab.memory.byteSize();
            if (idleBytes > IDLE_MAX) {
                idleBytes -= slab.memory.byteSize();
                unlink(slab);
                all.remove(slab);
                slab.arena.close();
            }
        }
    }

    private void link(Slab slab) {
        Slab first = available[slab.blockBits];
        slab.previous = null;
        slab.next = first;
        if (first != null) {
            first.previous = slab;
        }
        available[slab.blockBits] = slab;
    }

    private void unlink(Slab slab) {
        Slab before = slab.previous;
        Slab after = slab.next;
        if (before == null) {
            available[slab.blockBits] = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        slab.previous = null;
        slab.next = null;
    }

    /**
     * Blocks that are taken now.
     *
     * @return bytes
     */
    public long used() {
        return all.stream()
                .mapToLong(slab -> (long) (slab.free.length - slab.freeCount) << slab.blockBits)
                .sum();
    }

    /**
     * Memory that is taken from the system now.
     *
     * @return bytes
     */
    public long allocated() {
        return all.stream().mapToLong(slab -> slab.memory.byteSize()).sum();
    }

    /** Frees the memory, whatever of it is taken. */
    @Override
    public void close() {
        all.forEach(slab -> slab.arena.close());
        all.clear();
    }
}
