package io.fairlead.transport.shm;

import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.served.Arithmetic;
import io.fairlead.spi.served.ServedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A peer's region that this process has mapped: puts and gets are copies, atomics are the processor's. The owner marks
 * the region when it closes it. A copy in progress then accesses pages that the owner no longer uses, which is
 * harmless.
 *
 * <p>Copies are plain accesses, which compiler and processor may reorder; {@link MappedOperations} has the fences between them.
 */
final class MappedMemory extends ServedMemory {
    static final long OPEN = 0x0FA1_121E_AD00_0001L;
    static final long CLOSED = 0;

    /** The mark has its own cache line: it is read with every operation and must not share one with changing data. */
    private static final long LINE = 64;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final MemoryFile file;
    private final MemorySegment memory;
    private final long base;
    private final long mark;
    private final boolean writable;
    /** The owner has withdrawn rights. */
    private boolean withdrawn;

    /**
     * A region.
     *
     * @param file the region and its mark
     * @param length length of the region, in bytes
     * @param region what the peer expects if it serves the region, once its memory is no longer accessed here
     */
    MappedMemory(MemoryFile file, long length, RegionProof region) {
        super(region);
        this.file = file;
        this.memory = MemorySegment.ofAddress(file.address()).reinterpret(length);
        this.base = file.address();
        this.mark = base + markOffset(length);
        this.writable = file.isWritable();
    }

    /** Whether the size of a region's file with its mark does not overflow. */
    static boolean isPossible(long length) {
        return length <= Long.MAX_VALUE - 2 * LINE;
    }

    /** The offset of a region's mark from its beginning. */
    static long markOffset(long length) {
        return (length + LINE - 1) & -LINE;
    }

    /** The size of a {@linkplain #isPossible possible} region with its mark. */
    static long size(long length) {
        return markOffset(length) + LINE;
    }

    /** Writes the mark of this process's own region, with release semantics. */
    static void mark(MemorySegment all, long length, long value) {
        WORD.setVolatile(all, markOffset(length), value);
    }

    /**
     * Whether the owner has neither closed the region nor withdrawn this side's rights. Only a check: a concurrent copy
     * is harmless.
     */
    boolean isOpen() {
        return !withdrawn && (long) WORD.getAcquire(Ring.MEMORY, mark) == OPEN;
    }

    /** The same for a change: the owner may have passed memory that only it can write, whatever its key says. */
    boolean isOpenToWrite() {
        return writable && isOpen();
    }

    /** Copies into the region. */
    void put(long at, MemorySegment source, long offset, long bytes) {
        if (bytes == Long.BYTES) {
            // Words are common, and a copy's checks take longer than a word. Only the remote side is accessed by
            // address: another thread may close the caller's memory at any time.
            Ring.MEMORY.set(
                    ValueLayout.JAVA_LONG_UNALIGNED, base + at, source.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
        } else {
            MemorySegment.copy(source, offset, memory, at, bytes);
        }
    }

    /** Copies out of the region. */
    void get(long at, MemorySegment target, long offset, long bytes) {
        if (bytes == Long.BYTES) {
            target.set(
                    ValueLayout.JAVA_LONG_UNALIGNED,
                    offset,
                    Ring.MEMORY.get(ValueLayout.JAVA_LONG_UNALIGNED, base + at));
        } else {
            MemorySegment.copy(memory, at, target, offset, bytes);
        }
    }

    /** Copies a part of a put. */
    void put(Operation operation, long done, long bytes) {
        put(operation.remoteOffset() + done, operation.buffer(), operation.offset() + done, bytes);
    }

    /** Copies a part of a get. */
    void get(Operation operation, long done, long bytes) {
        get(operation.remoteOffset() + done, operation.buffer(), operation.offset() + done, bytes);
    }

    /** Changes a word and returns its previous value. */
    long change(AtomicOperation action, long offset, long operand, long compare) {
        return Arithmetic.apply(action, Ring.MEMORY, base + offset, operand, compare);
    }

    @Override
    public MemorySegment mapped() {
        return file.memory().asSlice(0, memory.byteSize()).asReadOnly();
    }

    @Override
    public void withdraw() {
        withdrawn = true;
    }

    @Override
    public void close() {
        file.close();
    }
}
