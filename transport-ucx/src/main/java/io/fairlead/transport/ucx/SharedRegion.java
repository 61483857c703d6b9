package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.served.Arithmetic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A peer's region in System V shared memory, mapped into this process. Behind the region is a mark, by which the owner
 * reports that it has closed the region. Whoever has mapped it keeps its pages, so an access after that is harmless.
 *
 * <p>Copies are plain accesses, which compiler and processor may reorder; {@link OneSidedOperations} has the fences
 * between them.
 */
final class SharedRegion implements AutoCloseable {
    /** No region has it as its mark. */
    private static final long CLOSED = 0;

    /** The mark has its own cache line: it is read with every operation. */
    private static final long LINE = 64;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final SystemVSegment segment;
    private final MemorySegment memory;
    private final long base;
    private final long markAt;
    private final long mark;

    private SharedRegion(SystemVSegment segment, long length, long mark) {
        this.segment = segment;
        this.base = segment.address();
        this.memory = MemorySegment.ofAddress(base).reinterpret(length);
        this.markAt = base + markOffset(length);
        this.mark = mark;
    }

    /**
     * Attaches the segment of a region, so that it stays until this is closed.
     *
     * @param length length of the region in bytes, by the core's key
     * @return null if the segment is gone or another one
     */
    static @Nullable SharedRegion attach(SegmentKey key, long length) {
        if (length > Long.MAX_VALUE - 2 * LINE || key.mark() == CLOSED) {
            return null;
        }
        SystemVSegment segment = SystemVSegment.attach(key.number());
        if (segment == null) {
            return null;
        }
        if (size(length) <= segment.size()) {
            SharedRegion region = new SharedRegion(segment, length, key.mark());
            if (region.isOpen()) {
                return region;
            }
        }
        segment.close();
        return null;
    }

    /** The size of a region with its mark. */
    static long size(long length) {
        return markOffset(length) + LINE;
    }

    private static long markOffset(long length) {
        return (length + LINE - 1) & -LINE;
    }

    /** Opens a region of this process. */
    static void open(long address, long length, long mark) {
        WORD.setVolatile(MEMORY, address + markOffset(length), mark);
    }

    /** Reports to those that have mapped a region of this process that it is closed. */
    static void close(long address, long length) {
        WORD.setVolatile(MEMORY, address + markOffset(length), CLOSED);
    }

    /** Whether the owner has not closed the region. */
    boolean isOpen() {
        return (long) WORD.getAcquire(MEMORY, markAt) == mark;
    }

    /** Copies to the region. The caller has checked the range. */
    void put(long to, MemorySegment source, long offset, long length) {
        if (length == Long.BYTES) {
            // Words are common, and a copy's checks take longer than a word.
            MEMORY.set(JAVA_LONG_UNALIGNED, base + to, source.get(JAVA_LONG_UNALIGNED, offset));
        } else {
            MemorySegment.copy(source, offset, memory, to, length);
        }
    }

    /** Copies from the region. The caller has checked the range. */
    void get(long from, MemorySegment target, long offset, long length) {
        if (length == Long.BYTES) {
            target.set(JAVA_LONG_UNALIGNED, offset, MEMORY.get(JAVA_LONG_UNALIGNED, base + from));
        } else {
            MemorySegment.copy(memory, from, target, offset, length);
        }
    }

    /**
     * Changes a word of the region by the processor, as the owner does for itself and for others. The caller has checked
     * the offset.
     *
     * @return the previous value
     */
    long change(AtomicOperation operation, long offset, long operand, long compare) {
        return Arithmetic.apply(operation, MEMORY, base + offset, operand, compare);
    }

    @Override
    public void close() {
        segment.close();
    }
}
