package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Memory of a caller's as the engine can use it: in place where it is native and open to all threads, else by way of a copy, which is made by {@link #tryStage}. */
final class Memory {
    private final MemorySegment caller;
    private final NativePool pool;
    private final long length;
    private final boolean copied;
    /** Whether the engine fills the memory. */
    private final boolean filled;

    private @Nullable MemorySegment segment;
    private NativePool.@Nullable Block block;
    private @Nullable ByteRoom room;

    private Memory(MemorySegment caller, NativePool pool, boolean copied, boolean filled) {
        this.caller = caller;
        this.pool = pool;
        this.length = caller.byteSize();
        this.copied = copied;
        this.filled = filled;
        this.segment = copied ? null : caller;
    }

    /**
     * Memory that the engine reads.
     *
     * @param segment the caller's, copied by {@link #tryStage} if the engine cannot reach it
     * @param loop whose thread it is for
     */
    static Memory source(MemorySegment segment, ProgressLoop loop) {
        requireAlive(segment);
        boolean reached = segment.isNative() && segment.isAccessibleBy(loop.thread());
        return new Memory(segment, loop.node().pool(), !reached, false);
    }

    /**
     * Memory that the engine fills.
     *
     * @param segment the caller's; filled by {@link #finish()} if the engine cannot reach it
     * @param loop whose thread it is for
     */
    static Memory target(MemorySegment segment, ProgressLoop loop) {
        requireTarget(segment, loop);
        return new Memory(segment, loop.node().pool(), !segment.isNative(), true);
    }

    /**
     * Makes the copy if one is needed.
     *
     * @param from has room for the copies of whoever this is for
     * @param waitNs how long to wait for room
     * @return false if there was no room in time
     * @throws FairleadException if the process has no memory for the copy
     */
    boolean tryStage(ByteRoom from, long waitNs) {
        if (!copied) {
            return true;
        }
        long bytes = NativePool.sizeOf(length);
        if (!from.tryTake(bytes, waitNs)) {
            return false;
        }
        try {
            NativePool.Block taken = pool.stage(length);
            block = taken;
            segment = taken.segment();
            if (!filled) {
                MemorySegment.copy(caller, 0, taken.segment(), 0, length);
            }
            room = from;
            return true;
        } catch (OutOfMemoryError none) {
            from.giveBack(bytes);
            throw Failures.noMemory("a copy", length, none);
        } catch (Throwable closed) {
            releaseBlock();
            from.giveBack(bytes);
            throw closed;
        }
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

    /** What the engine uses; only of memory that is staged. */
    MemorySegment segment() {
        return Objects.requireNonNull(segment, "segment");
    }

    long length() {
        return length;
    }

    /** Brings what the engine put here to where the caller wants it. */
    void finish() {
        if (block != null) {
            MemorySegment.copy(segment(), 0, caller, 0, length);
        }
    }

    /** Ends the use; nothing if that has happened. */
    void release() {
        ByteRoom from = room;
        if (from != null) {
            room = null;
            releaseBlock();
            from.giveBack(NativePool.sizeOf(length));
        }
    }

    private void releaseBlock() {
        NativePool.Block taken = block;
        if (taken != null) {
            block = null;
            taken.release();
        }
    }
}
