package io.fairlead.node.internal.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Pooled native memory: copies of what callers send, and buffers of received messages. Thread-safe.
 *
 * <p>Blocks come in powers of two. Pooled blocks belong to automatic arenas. The garbage collector therefore frees a block that is never
 * released, or that the full pool does not keep. Blocks longer than the longest pooled block are freed when they are released. A progress
 * thread keeps a few short blocks for itself, see {@link Cache}.
 */
public final class NativePool {
    private static final int SMALLEST_SHIFT = 8;
    private static final int LARGEST_SHIFT = 24;
    /** What a size keeps at most: bytes that are worth keeping, and a number that bounds the small ones. */
    private static final long KEPT_BYTES = 16L << 20;

    private static final int KEPT_BLOCKS = 1024;
    /** What all sizes keep together. */
    private static final long KEPT_BYTES_TOTAL = 64L << 20;

    private static final long ALIGNMENT = 64;

    /** Memory of the pool that is in use. */
    public static final class Block {
        private final NativePool pool;
        private final MemorySegment segment;
        private final int sizeClass;
        private final @Nullable Arena arena;
        /** Where the block goes that is set aside; null for any other. */
        private final @Nullable Deque<Block> reserve;
        /** The last results of {@link #header} and {@link #content}, which mostly are asked for again. */
        private MemorySegment header = MemorySegment.NULL;

        private MemorySegment content = MemorySegment.NULL;
        /** What its holders keep with it. */
        private @Nullable Object attachment;

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

        /** At least as long as requested. */
        public MemorySegment segment() {
            return segment;
        }

        /** Its first bytes, as the header of a message. Creates no object for the length of the call before. */
        public MemorySegment header(int length) {
            if (header.byteSize() != length) {
                header = segment.asSlice(0, length);
            }
            return header;
        }

        /** Its first bytes, as a message. Creates no object for the length of the call before. */
        public MemorySegment content(long length) {
            if (content.byteSize() != length) {
                content = segment.asSlice(0, length);
            }
            return content;
        }

        /** What a holder has attached, this one or an earlier one; null if there is nothing. */
        public @Nullable Object attachment() {
            return attachment;
        }

        /** Keeps an object for the next holders, which they need not create. */
        public void attach(Object kept) {
            attachment = kept;
        }

        /** Releases the block; exactly once. */
        public void release() {
            if (reserve != null) {
                reserve.add(this);
            } else if (arena != null) {
                arena.close();
            } else if (sizeClass >= 0) {
                pool.keep(this);
            }
        }
    }

    /**
     * Short blocks of a pool that one progress thread keeps for itself. A small message is most often copied to and from a block on that thread, which then
     * needs no atomic access. Belongs to the thread.
     */
    static final class Cache {
        /** So many of the pool's sizes, the shortest: up to 64 KiB. */
        private static final int SIZE_CLASSES = 9;

        private static final int BLOCKS_MAX = 64;
        /** What one size keeps. */
        private static final long BYTES_MAX = 1 << 19;

        private final NativePool pool;
        /** By size. The block that was given back last is the next one, because the processor still has it. */
        private final List<ArrayDeque<Block>> sizes =
                Stream.generate(ArrayDeque<Block>::new).limit(SIZE_CLASSES).toList();

        Cache(NativePool pool) {
            this.pool = pool;
        }

        NativePool pool() {
            return pool;
        }

        /** A block of a size; null if there is none. */
        @SuppressWarnings("ReferenceEquality") // The pool itself.
        private @Nullable Block poll(NativePool from, int sizeClass) {
            return from == pool && sizeClass < SIZE_CLASSES
                    ? sizes.get(sizeClass).pollLast()
                    : null;
        }

        /** Keeps a block. Returns false if the cache is full, or keeps no such blocks. */
        @SuppressWarnings("ReferenceEquality") // The pool itself.
        private boolean offer(NativePool from, int sizeClass, Block block) {
            if (from != pool || sizeClass >= SIZE_CLASSES) {
                return false;
            }
            ArrayDeque<Block> blocks = sizes.get(sizeClass);
            if (blocks.size() >= BLOCKS_MAX
                    || (blocks.size() + 1) * block.segment().byteSize() > BYTES_MAX) {
                return false;
            }
            blocks.addLast(block);
            return true;
        }
    }

    private final List<MpmcAtomicArrayQueue<Block>> kept = queues();
    private final AtomicLong keptBytes = new AtomicLong();

    /** Memory for a copy, which is always released. */
    public Block stage(long length) {
        if (length > 1L << LARGEST_SHIFT) {
            Arena arena = Arena.ofShared();
            return new Block(this, arena.allocate(length, ALIGNMENT), -1, arena);
        }
        return take(length);
    }

    /** Memory for a message, which the application may forget to release. */
    public Block hold(long length) {
        if (length > 1L << LARGEST_SHIFT) {
            return new Block(this, Arena.ofAuto().allocate(length, ALIGNMENT), -1, null);
        }
        return take(length);
    }

    /** Blocks that are reserved for one thread. It takes them out of the result, and {@link Block#release} puts them back. */
    public Deque<Block> reserve(int count, long length) {
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

    /** Bytes that the pool keeps. */
    long keptBytes() {
        return keptBytes.get();
    }

    /** The size of a block for so many bytes. */
    public static long sizeOf(long length) {
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
