package io.fairlead.node.internal.memory;

import io.fairlead.FairleadException;
import io.fairlead.node.internal.errors.Failures;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a caller's as the engine can use it. Native memory that all threads can access is used in place; {@link #tryStage} copies other memory.
 */
public final class Memory {
    private final MemorySegment caller;
    private final NativePool pool;
    private final long length;
    private final boolean copied;
    /** Whether the engine fills the memory. */
    private final boolean filled;

    private @Nullable MemorySegment segment;
    private NativePool.@Nullable Block block;
    private @Nullable ByteLimit limit;

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
     * @param thread that will access it
     */
    public static Memory source(MemorySegment segment, ProgressThread thread) {
        requireAlive(segment);
        boolean reached = segment.isNative() && segment.isAccessibleBy(thread);
        return new Memory(segment, thread.pool(), !reached, false);
    }

    /**
     * Memory that the engine fills.
     *
     * @param segment the caller's; filled by {@link #finish()} if the engine cannot reach it
     * @param thread that will access it
     */
    public static Memory target(MemorySegment segment, ProgressThread thread) {
        requireTarget(segment, thread);
        return new Memory(segment, thread.pool(), !segment.isNative(), true);
    }

    /**
     * Makes the copy if one is needed.
     *
     * @param from bounds the copies of the peer or set
     * @param waitNs how long to wait if the limit is reached
     * @return false if the limit stayed reached
     * @throws FairleadException if the process has no memory for the copy
     */
    public boolean tryStage(ByteLimit from, long waitNs) {
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
            limit = from;
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

    /** Refuses memory that the thread cannot write. */
    public static void requireTarget(MemorySegment segment, ProgressThread thread) {
        requireAlive(segment);
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException("memory to fill is read-only: segment=" + segment);
        }
        if (!segment.isAccessibleBy(thread)) {
            throw new IllegalArgumentException("memory to fill is confined to a thread: segment=" + segment
                    + "; allocate it from Arena.ofShared() or Arena.ofAuto()");
        }
    }

    public static void requireAlive(MemorySegment segment) {
        if (!segment.scope().isAlive()) {
            throw new IllegalArgumentException(
                    "memory is closed: segment=" + segment + "; keep its Arena open until the operation has ended");
        }
    }

    /** What the engine uses; only of memory that is staged. */
    public MemorySegment segment() {
        return Objects.requireNonNull(segment, "segment");
    }

    public long length() {
        return length;
    }

    /** Copies what the engine has filled to the caller's memory. */
    public void finish() {
        if (block != null) {
            MemorySegment.copy(segment(), 0, caller, 0, length);
        }
    }

    /** Ends the use; nothing if that has happened. */
    public void release() {
        ByteLimit from = limit;
        if (from != null) {
            limit = null;
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
