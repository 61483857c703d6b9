package io.fairlead.transport.ucx;

import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.served.Arithmetic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A peer's region in System V shared memory that UCX maps into this process. Behind the region is a mark, by which the
 * owner reports that it has closed the region. Whoever has mapped it keeps its pages, so an access after that is
 * harmless.
 */
final class SharedRegion implements AutoCloseable {
    private static final long OPEN = 0x0FA1_121E_AD00_0002L;
    private static final long CLOSED = 0;

    /** The mark has its own cache line: it is read with every operation. */
    private static final long LINE = 64;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final SystemVSegment segment;
    private final long mark;

    private SharedRegion(SystemVSegment segment, long mark) {
        this.segment = segment;
        this.mark = mark;
    }

    /**
     * Attaches the segment of a region, so that it stays until this is closed.
     *
     * @param layout the layout of this process's keys
     * @param key the region's key
     * @param length length of the region in bytes, by the core's key
     * @return null if UCX must not unpack the key: its segment is gone or too short for the region, or it has another
     *     layout
     */
    static @Nullable SharedRegion attach(SharedKeyLayout layout, RegionKey key, long length) {
        byte[] packed = key.packed();
        if (!layout.fits(packed) || layout.address(packed) != key.address() || length > Long.MAX_VALUE - 2 * LINE) {
            return null;
        }
        SystemVSegment segment = SystemVSegment.attach(layout.segment(packed));
        if (segment == null) {
            return null;
        }
        if (size(length) > segment.size()) {
            segment.close();
            return null;
        }
        return new SharedRegion(segment, segment.address() + markOffset(length));
    }

    /** The size of a region with its mark. */
    static long size(long length) {
        return markOffset(length) + LINE;
    }

    /** The offset of a region's mark from its beginning. */
    static long markOffset(long length) {
        return (length + LINE - 1) & -LINE;
    }

    /** Marks a region of this process. */
    static void mark(long address, long length, boolean open) {
        WORD.setVolatile(MEMORY, address + markOffset(length), open ? OPEN : CLOSED);
    }

    /** Whether the owner has not closed the region. */
    boolean isOpen() {
        return (long) WORD.getAcquire(MEMORY, mark) == OPEN;
    }

    /** Copies to the region. The caller has checked the range. */
    void put(long to, MemorySegment source, long offset, long length) {
        MemorySegment.copy(source, offset, MEMORY, segment.address() + to, length);
    }

    /** Copies from the region. The caller has checked the range. */
    void get(long from, MemorySegment target, long offset, long length) {
        MemorySegment.copy(MEMORY, segment.address() + from, target, offset, length);
    }

    /**
     * Changes a word of the region by the processor, as the owner does for itself and for others. The caller has checked
     * the offset.
     *
     * @return the previous value
     */
    long change(AtomicOperation operation, long offset, long operand, long compare) {
        return Arithmetic.apply(operation, MEMORY, segment.address() + offset, operand, compare);
    }

    @Override
    public void close() {
        segment.close();
    }
}
