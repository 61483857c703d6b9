package io.fairlead.node.internal;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory of a caller's as the engine can use it: in place where it is native and open to all threads, else by way of a copy. */
final class Memory {
    private final MemorySegment segment;
    private final long length;
    private final NativePool.@Nullable Block block;
    private final @Nullable MemorySegment copyTo;

    private Memory(
            MemorySegment segment, long length, NativePool.@Nullable Block block, @Nullable MemorySegment copyTo) {
        this.segment = segment;
        this.length = length;
        this.block = block;
        this.copyTo = copyTo;
    }

    /**
     * Memory that the engine reads.
     *
     * @param segment the caller's, copied before this returns if the engine cannot reach it
     * @param loop whose thread it is for
     */
    static Memory source(MemorySegment segment, ProgressLoop loop) {
        requireAlive(segment);
        long length = segment.byteSize();
        if (segment.isNative() && segment.isAccessibleBy(loop.thread())) {
            return new Memory(segment, length, null, null);
        }
        NativePool.Block block = loop.node().pool().stage(length);
        MemorySegment.copy(segment, 0, block.segment(), 0, length);
        return new Memory(block.segment(), length, block, null);
    }

    /**
     * Memory that the engine fills.
     *
     * @param segment the caller's; filled by {@link #finish()} if the engine cannot reach it
     * @param loop whose thread it is for
     */
    static Memory target(MemorySegment segment, ProgressLoop loop) {
        requireTarget(segment, loop);
        long length = segment.byteSize();
        if (segment.isNative()) {
            return new Memory(segment, length, null, null);
        }
        NativePool.Block block = loop.node().pool().stage(length);
        return new Memory(block.segment(), length, block, segment);
    }

    /** Refuses memory that the loop's thread cannot write. */
    static void requireTarget(MemorySegment segment, ProgressLoop loop) {
        requireAlive(segment);
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException("memory to fill is read-only: segment=" + segment);
        }
        if (!segment.isAccessibleBy(loop.thread())) {
            throw new IllegalArgumentException("memory to fill is confined to a thread: segment=" + segment
                    + "; allocate it from Arena.ofShared() or Arena.ofAuto()");
        }
    }

    static void requireAlive(MemorySegment segment) {
        if (!segment.scope().isAlive()) {
            throw new IllegalArgumentException(
                    "memory is closed: segment=" + segment + "; keep its Arena open until the operation has ended");
        }
    }

    MemorySegment segment() {
        return segment;
    }

    long length() {
        return length;
    }

    /** Brings what the engine put here to where the caller wants it. */
    void finish() {
        if (copyTo != null) {
            MemorySegment.copy(segment, 0, copyTo, 0, length);
        }
    }

    /** Ends the use; exactly once. */
    void release() {
        if (block != null) {
            block.release();
        }
    }
}
