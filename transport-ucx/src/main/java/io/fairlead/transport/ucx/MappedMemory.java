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
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final PeerMapping mapping;
    private final MemorySegment memory;
    private final long markOffset;

    MappedMemory(PeerMapping mapping, long markOffset) {
        this.mapping = mapping;
        this.memory = MemorySegment.ofAddress(mapping.address()).reinterpret(markOffset + Long.BYTES);
        this.markOffset = markOffset;
    }

    private boolean revoked() {
        return (long) WORD.getAcquire(memory, markOffset) != UcxMemory.OPEN;
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
        MemorySegment.copy(operation.buffer(), operation.offset(), memory, operation.remoteOffset(), length);
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
            MemorySegment.copy(memory, operation.remoteOffset(), operation.buffer(), operation.offset(), length);
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
                    operation.atomic(), memory, operation.remoteOffset(), operation.operand(), operation.compare());
            operation.complete(Status.OK, Long.BYTES, before);
        }
        return true;
    }

    @Override
    public void close() {
        mapping.close();
    }
}
