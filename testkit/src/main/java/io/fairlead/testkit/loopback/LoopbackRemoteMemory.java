package io.fairlead.testkit.loopback;

import io.fairlead.AccessRight;
import io.fairlead.AtomicOperation;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A peer's memory: the peer is in this process, so the thread that posts an operation carries it out on the spot. That makes every
 * operation visible at the target before its post returns, and leaves a fence nothing to do.
 */
final class LoopbackRemoteMemory implements RemoteMemory {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    /** Null if the memory was closed before its key was unpacked. */
    private final @Nullable LoopbackMemory memory;

    private LoopbackRemoteMemory(@Nullable LoopbackMemory memory) {
        this.memory = memory;
    }

    static LoopbackRemoteMemory unpack(byte[] key, long length) {
        if (key.length != Long.BYTES) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "loopback part of the remote key has the wrong length: length=" + key.length + ", expected="
                            + Long.BYTES + " bytes; pack the key again");
        }
        long id = ByteBuffer.wrap(key).getLong();
        LoopbackMemory memory = LoopbackMemory.find(id);
        if (memory != null && memory.segment().byteSize() != length) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "remote key does not fit its region: length=" + length + ", regionLength="
                            + memory.segment().byteSize() + " bytes; pack the key again");
        }
        return new LoopbackRemoteMemory(memory);
    }

    /** Puts, and says whether the target let it in. */
    boolean put(Operation operation) {
        boolean put = access(
                AccessRight.WRITE,
                target -> MemorySegment.copy(
                        operation.buffer(), operation.offset(), target, operation.remoteOffset(), operation.length()));
        // A reader that learns of the put by any other way must find its data.
        VarHandle.fullFence();
        return put;
    }

    /** Gets and completes. */
    void get(Operation operation) {
        VarHandle.fullFence();
        boolean got = access(
                AccessRight.READ,
                source -> MemorySegment.copy(
                        source, operation.remoteOffset(), operation.buffer(), operation.offset(), operation.length()));
        operation.complete(got ? Status.OK : Status.REVOKED, got ? operation.length() : 0);
    }

    /** Changes a word and completes. */
    void atomic(Operation operation) {
        long[] found = new long[1];
        boolean changed = access(
                AccessRight.ATOMIC,
                target -> found[0] = change(
                        target,
                        operation.remoteOffset(),
                        operation.atomic(),
                        operation.operand(),
                        operation.compare()));
        operation.complete(changed ? Status.OK : Status.REVOKED, changed ? Long.BYTES : 0, found[0]);
    }

    private static long change(
            MemorySegment target, long offset, AtomicOperation operation, long operand, long compare) {
        return switch (operation) {
            case ADD -> (long) WORD.getAndAdd(target, offset, operand);
            case AND -> (long) WORD.getAndBitwiseAnd(target, offset, operand);
            case OR -> (long) WORD.getAndBitwiseOr(target, offset, operand);
            case XOR -> (long) WORD.getAndBitwiseXor(target, offset, operand);
            case SWAP -> (long) WORD.getAndSet(target, offset, operand);
            case COMPARE_SWAP -> (long) WORD.compareAndExchange(target, offset, compare, operand);
        };
    }

    private boolean access(AccessRight right, Consumer<MemorySegment> access) {
        return memory != null && memory.access(right, access);
    }

    @Override
    public void close() {
        // The memory is its owner's; there is nothing to let go of.
    }
}
