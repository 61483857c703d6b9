package io.fairlead.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The native memory of one worker for unmatched eager messages. The credits that the core grants bound its use. Belongs
 * to the worker's thread.
 *
 * <p>A block is a power of two bytes long, from 64 up, and is part of a slab of blocks of the same length. A message
 * that stays for long keeps only its own block in use. Up to 4 MiB of empty slabs are kept for later messages.
 */
public final class EagerPool implements AutoCloseable {
    private static final int SMALLEST_BITS = 6;
    private static final int SLAB_BYTES = 64 << 10;
    /** The maximum size of the empty slabs that are kept; more are freed. */
    private static final long IDLE_MAX = 4 << 20;

    /** Memory that is divided into blocks of one length. Belongs to the worker's thread. */
    public static final class Slab {
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment memory;
        private final int blockBits;
        /** Blocks free for use, the last one first. */
        private final int[] free;

        /** The segments of the blocks, created on demand. */
        private final @Nullable MemorySegment[] segments;

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
            segments = new @Nullable MemorySegment[blocks];
            for (int block = blocks - 1; block >= 0; block--) {
                free[freeCount++] = block;
            }
        }

        /**
         * The memory of all blocks of the slab.
         *
         * @return confined to the worker's thread
         */
        public MemorySegment memory() {
            return memory;
        }

        /**
         * The memory of a block alone.
         *
         * @param block the block's number, from {@link #taken}
         * @return the same at each call, aligned to 64 bytes
         */
        public MemorySegment segment(int block) {
            MemorySegment segment = segments[block];
            if (segment == null) {
                segment = memory.asSlice(offset(block), 1L << blockBits);
                segments[block] = segment;
            }
            return segment;
        }

        /**
         * Where a block begins.
         *
         * @param block the block's number, from {@link #taken}
         * @return bytes from the beginning of {@link #memory}
         */
        public long offset(int block) {
            return (long) block << blockBits;
        }

        /**
         * The number of the block that the last {@link EagerPool#take} took.
         *
         * @return the number in this slab, 0 and up
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
     * Takes a block of at least the given length. Call the slab's {@link Slab#taken()} before the next call.
     *
     * @param length bytes, 0 and up
     * @return the slab that the block is in
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
     * Frees a block, which must be in use.
     *
     * @param slab the slab that the block is in
     * @param block the block's number there
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
     * The total length of the blocks in use.
     *
     * @return bytes
     */
    public long used() {
        return all.stream()
                .mapToLong(slab -> (long) (slab.free.length - slab.freeCount) << slab.blockBits)
                .sum();
    }

    /**
     * The memory of all slabs, in use or not.
     *
     * @return bytes
     */
    public long allocated() {
        return all.stream().mapToLong(slab -> slab.memory.byteSize()).sum();
    }

    /** Frees all memory, including blocks in use. */
    @Override
    public void close() {
        CloseSteps.runAll(() -> CloseSteps.runEach(all, slab -> slab.arena.close()), all::clear);
    }
}
