package io.fairlead.node.internal;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Short blocks of a pool that one progress thread keeps for itself: what a small message is copied to and from is most often taken and given back
 * there, and needs no atomic access then. Belongs to the thread.
 */
final class BlockCache {
    /** So many of the pool's sizes, the shortest: up to 64 KiB. */
    private static final int SIZE_CLASSES = 9;

    private static final int BLOCKS_MAX = 64;
    /** What one size keeps. */
    private static final long BYTES_MAX = 1 << 19;

    private final NativePool pool;
    /** By size; the block that was given back last is the next one, because the processor still has it. */
    private final List<ArrayDeque<NativePool.Block>> sizes = Stream.generate(ArrayDeque<NativePool.Block>::new)
            .limit(SIZE_CLASSES)
            .toList();

    BlockCache(NativePool pool) {
        this.pool = pool;
    }

    /** A block of a size; null if there is none. */
    @SuppressWarnings("ReferenceEquality") // The pool itself.
    NativePool.@Nullable Block poll(NativePool from, int sizeClass) {
        return from == pool && sizeClass < SIZE_CLASSES ? sizes.get(sizeClass).pollLast() : null;
    }

    /** Keeps a block; false if there is no room, or it is none of those that are kept here. */
    @SuppressWarnings("ReferenceEquality") // The pool itself.
    boolean offer(NativePool from, int sizeClass, NativePool.Block block) {
        if (from != pool || sizeClass >= SIZE_CLASSES) {
            return false;
        }
        ArrayDeque<NativePool.Block> blocks = sizes.get(sizeClass);
        if (blocks.size() >= BLOCKS_MAX || (blocks.size() + 1) * block.segment().byteSize() > BYTES_MAX) {
            return false;
        }
        blocks.addLast(block);
        return true;
    }
}
