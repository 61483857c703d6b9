package io.fairlead.node.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Native memory that is used again: copies of what callers send, and buffers of received messages. Thread-safe.
 *
 * <p>Blocks come in powers of two. Those of the pool belong to automatic arenas, so that a block which is never given back, or
 * which the pool has no room for, is freed by the garbage collector. Blocks longer than the longest of the pool are
 * freed when they are given back. A progress thread keeps a few short ones for itself, see {@link BlockCache}.
 */
final class NativePool {
    private static final int SMALLEST_SHIFT = 8;
    private static final int LARGEST_SHIFT = 24;
    /** What a size keeps at most: bytes that are worth keeping, and a number that bounds the small ones. */
    private static final long KEPT_BYTES = 16L << 20;

    private static final int KEPT_BLOCKS = 1024;
    /** What all sizes keep together. */
    private static final long KEPT_BYTES_TOTAL = 64L << 20;

    private static final long ALIGNMENT = 64;

    /** Memory on loan. */
    static final class Block {
        private final NativePool pool;
        private final MemorySegment segment;
        private final int sizeClass;
        private final @Nullable Arena arena;
        /** Where the block goes that is set aside; null for any other. */
        private final @Nullable Deque<Block> reserve;

        private Block(NativePool pool, MemorySegment segment, int sizeClass, @Nullable Arena arena) {
            this(pool, segment, sizeClass, arena, null);
        }

        private Block(
                NativePool pool,
                MemorySegment segment,
                int sizeClass,
                @Nullable Arena arena,
                @Nullable Deque<Block> reserve) {
            this.pool = pool;
            this.segment = segment;
            this.sizeClass = sizeClass;
            this.arena = arena;
            this.reserve = reserve;
        }

        /** At least as long as was asked for. */
        MemorySegment segment() {
            return segment;
        }

        /** Ends the loan; exactly once. */
        void release() {
            if (reserve != null) {
                reserve.add(this);
            } else if (arena != null) {
                arena.close();
            } else if (sizeClass >= 0) {
                pool.keep(this);
            }
        }
    }

    private final List<MpmcAtomicArrayQueue<Block>> kept = queues();
    private final AtomicLong keptBytes = new AtomicLong();

    /** Memory for a copy, that is surely given back. */
    Block stage(long length) {
        if (length > 1L << LARGEST_SHIFT) {
            Arena arena = Arena.ofShared();
            return new Block(this, arena.allocate(length, ALIGNMENT), -1, arena);
        }
        return take(length);
    }

    /** Memory for a message, that the application may forget to give back. */
    Block hold(long length) {
        if (length > 1L << LARGEST_SHIFT) {
            return new Block(this, Arena.ofAuto().allocate(length, ALIGNMENT), -1, null);
        }
        return take(length);
    }

    /** Blocks that are set aside for one thread, which takes them out of the result and gives them back there by {@link Block#release}. */
    Deque<Block> reserve(int count, long length) {
        Deque<Block> reserve = new ArrayDeque<>(count);
        for (int i = 0; i < count; i++) {
            reserve.add(new Block(this, Arena.ofAuto().allocate(length, ALIGNMENT), -1, null, reserve));
        }
        return reserve;
    }

    private Block take(long length) {
        int sizeClass = sizeClass(length);
        Block own = Thread.currentThread() instanceof ProgressThread thread
                ? thread.blocks().poll(this, sizeClass)
                : null;
        if (own != null) {
            return own;
        }
        Block block = kept.get(sizeClass).poll();
        long size = 1L << (SMALLEST_SHIFT + sizeClass);
        if (block != null) {
            keptBytes.addAndGet(-size);
            return block;
        }
        return new Block(this, Arena.ofAuto().allocate(size, ALIGNMENT), sizeClass, null);
    }

    private void keep(Block block) {
        if (Thread.currentThread() instanceof ProgressThread thread
                && thread.blocks().offer(this, block.sizeClass, block)) {
            return;
        }
        long size = block.segment.byteSize();
        if (keptBytes.addAndGet(size) > KEPT_BYTES_TOTAL
                || !kept.get(block.sizeClass).offer(block)) {
            keptBytes.addAndGet(-size);
        }
    }

    /** Bytes that wait here to be used again. */
    long keptBytes() {
        return keptBytes.get();
    }

    /** What a block of so many bytes takes. */
    static long sizeOf(long length) {
        return length > 1L << LARGEST_SHIFT ? length : 1L << (SMALLEST_SHIFT + sizeClass(length));
    }

    private static int sizeClass(long length) {
        int shift = Long.SIZE - Long.numberOfLeadingZeros(Math.max(length, 1) - 1);
        return Math.max(shift - SMALLEST_SHIFT, 0);
    }

    private static List<MpmcAtomicArrayQueue<Block>> queues() {
        return IntStream.rangeClosed(SMALLEST_SHIFT, LARGEST_SHIFT)
                .mapToObj(shift -> new MpmcAtomicArrayQueue<Block>(Math.clamp(KEPT_BYTES >> shift, 2, KEPT_BLOCKS)))
                .toList();
    }
}
