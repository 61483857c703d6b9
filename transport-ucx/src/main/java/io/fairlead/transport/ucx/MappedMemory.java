package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A region in shared memory that this process has mapped too: puts and gets are copies, atomics are the processor's, and all have
 * ended when their call returns. The owner marks the region's last word when it closes it; a copy that was already running then goes
 * to pages that the owner no longer has, and harms nobody.
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

    private boolean revoked() {
        return !UcxMemory.isOpen(ALL, mark);
    }

    @Override
    public boolean put(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        long length = operation.length();
        if (revoked()) {
            endpoint.asking().refused();
            operation.complete(Status.OK, length);
            return true;
        }
        MemorySegment source = operation.buffer();
        long to = operation.remoteOffset();
        if (length == Long.BYTES) {
            // Only the remote side by its address: the caller's memory may be closed by another thread at any time.
            ALL.set(
                    ValueLayout.JAVA_LONG_UNALIGNED,
                    base + to,
                    source.get(ValueLayout.JAVA_LONG_UNALIGNED, operation.offset()));
        } else {
            MemorySegment.copy(source, operation.offset(), memory, to, length);
        }
        if (operation.hasSignal()) {
            VarHandle.releaseFence();
            // The put ends when its signal has left, so that the bound on operations bounds signals too.
            endpoint.sendSignal(operation.operand(), operation);
        } else {
            operation.complete(Status.OK, length);
        }
        return true;
    }

    @Override
    public boolean get(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        long length = operation.length();
        if (revoked()) {
            operation.complete(Status.REVOKED, 0);
        } else {
            MemorySegment target = operation.buffer();
            long from = operation.remoteOffset();
            if (length == Long.BYTES) {
                target.set(
                        ValueLayout.JAVA_LONG_UNALIGNED,
                        operation.offset(),
                        ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, base + from));
            } else {
                MemorySegment.copy(memory, from, target, operation.offset(), length);
            }
            operation.complete(Status.OK, length);
        }
        return true;
    }

    @Override
    public boolean atomic(UcxEndpoint endpoint, Operation operation) {
        if (!endpoint.inOrder()) {
            return false;
        }
        if (revoked()) {
            operation.complete(Status.REVOKED, 0);
        } else {
            long before = Arithmetic.apply(
                    operation.atomic(), ALL, base + operation.remoteOffset(), operation.operand(), operation.compare());
            operation.complete(Status.OK, Long.BYTES, before);
        }
        return true;
    }

    @Override
    public void close() {
        file.close();
    }
}
