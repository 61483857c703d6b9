package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import io.fairlead.spi.served.Arithmetic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A region in shared memory that this process has mapped too: puts and gets are copies, atomics are the processor's, and all have
 * ended when their call returns, except {@linkplain Copies long ones} and what is behind them. The owner marks the region's last word when it closes it; a copy that was already running then goes
 * to pages that the owner no longer has, and harms nobody.
 *
 * <p>Copies are plain accesses, which compiler and processor may reorder. A {@linkplain UcxEndpoint#fence fence} is a release and an
 * acquire: nothing behind it is stored before what was put, and nothing is loaded before what was got. A {@linkplain UcxEndpoint#flush
 * flush} is a full fence as well, so that what was put before it is visible to all before anything behind it is got; and so is an atomic.
 */
final class MappedMemory implements UcxRemoteMemory {
    /** All of memory, a constant, so that an access costs no more than its address: the core has checked bounds and rights. */
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final SharedFile file;
    private final MemorySegment memory;
    private final long base;
    private final long mark;

    MappedMemory(SharedFile file, long markOffset) {
        this.file = file;
        this.memory = MemorySegment.ofAddress(file.address()).reinterpret(markOffset);
        this.base = file.address();
        this.mark = base + markOffset;
    }

    /** Whether the owner has not closed the region. */
    boolean isOpen() {
        return UcxMemory.isOpen(ALL, mark);
    }

    @Override
    public boolean put(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        long length = operation.length();
        if (waits(endpoint, length)) {
            if (operation.hasSignal()) {
                endpoint.signalTaken();
            }
            endpoint.copies().add(operation, Copies.PUT);
            return true;
        }
        boolean open = isOpen();
        if (open) {
            if (length == Long.BYTES) {
                // Only the remote side by its address: the caller's memory may be closed by another thread at any time.
                ALL.set(
                        ValueLayout.JAVA_LONG_UNALIGNED,
                        base + operation.remoteOffset(),
                        operation.buffer().get(ValueLayout.JAVA_LONG_UNALIGNED, operation.offset()));
            } else {
                copy(operation, Copies.PUT, 0, length);
            }
        }
        if (operation.hasSignal()) {
            endpoint.signalTaken();
        }
        endPut(endpoint, operation, open);
        return true;
    }

    /** Whether an operation is too long for its post, or is behind one that was. */
    private static boolean waits(UcxEndpoint endpoint, long length) {
        return length > Copies.POST_MAX || !endpoint.copies().isEmpty();
    }

    /** Copies some of a put or get. */
    void copy(Operation operation, byte action, long done, long bytes) {
        long here = operation.offset() + done;
        long there = operation.remoteOffset() + done;
        if (action == Copies.PUT) {
            MemorySegment.copy(operation.buffer(), here, memory, there, bytes);
        } else {
            MemorySegment.copy(memory, there, operation.buffer(), here, bytes);
        }
    }

    /** All of a put is there, unless the region was not open, which the next flush tells. */
    static void endPut(UcxEndpoint endpoint, Operation operation, boolean open) {
        long length = operation.length();
        if (!open) {
            endpoint.asking().refused();
            if (operation.hasSignal()) {
                endpoint.signalLeft();
            }
            operation.complete(Status.OK, length);
        } else if (operation.hasSignal()) {
            VarHandle.releaseFence();
            // The put ends when its signal has left, so that the bound on operations bounds signals too.
            endpoint.sendSignal(operation.operand(), operation);
        } else {
            operation.complete(Status.OK, length);
        }
    }

    @Override
    public boolean get(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        long length = operation.length();
        if (waits(endpoint, length)) {
            endpoint.copies().add(operation, Copies.GET);
            return true;
        }
        boolean open = isOpen();
        if (open) {
            if (length == Long.BYTES) {
                operation
                        .buffer()
                        .set(
                                ValueLayout.JAVA_LONG_UNALIGNED,
                                operation.offset(),
                                ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, base + operation.remoteOffset()));
            } else {
                copy(operation, Copies.GET, 0, length);
            }
        }
        endGet(operation, open);
        return true;
    }

    /** All of a get is here, unless the region was not open. */
    static void endGet(Operation operation, boolean open) {
        operation.complete(open ? Status.OK : Status.REVOKED, open ? operation.length() : 0);
    }

    @Override
    public boolean atomic(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        if (waits(endpoint, Long.BYTES)) {
            endpoint.copies().add(operation, Copies.ATOMIC);
        } else {
            change(operation);
        }
        return true;
    }

    void change(Operation operation) {
        if (!isOpen()) {
            operation.complete(Status.REVOKED, 0);
        } else {
            long before = Arithmetic.apply(
                    operation.atomic(), ALL, base + operation.remoteOffset(), operation.operand(), operation.compare());
            operation.complete(Status.OK, Long.BYTES, before);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
