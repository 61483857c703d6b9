package io.fairlead.spi.served;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An operation as the core would hand it over, which remembers how it ended and objects to ending twice. */
final class FakeOperation extends Operation {
    private MemorySegment buffer = MemorySegment.NULL;
    private long offset;
    private long length;
    private @Nullable ServedMemory region;
    private long remoteOffset;
    private AtomicOperation atomic = AtomicOperation.ADD;
    private long operand;
    private long compare;
    private boolean hasSignal;

    @Nullable Status status;

    long completedLength;
    long completedValue;
    Runnable whenDone = () -> {};

    static FakeOperation over(MemorySegment buffer) {
        return over(buffer, 0, buffer.byteSize());
    }

    static FakeOperation over(MemorySegment buffer, long offset, long length) {
        FakeOperation operation = new FakeOperation();
        operation.buffer = buffer;
        operation.offset = offset;
        operation.length = length;
        return operation;
    }

    static FakeOperation word(AtomicOperation arithmetic, long operand, long compare) {
        FakeOperation operation = new FakeOperation();
        operation.atomic = arithmetic;
        operation.operand = operand;
        operation.compare = compare;
        operation.length = Long.BYTES;
        return operation;
    }

    FakeOperation at(long regionId, long at) {
        region = new ServedMemory(FakeHost.proof(regionId));
        remoteOffset = at;
        return this;
    }

    FakeOperation of(ServedMemory memory, long at) {
        region = memory;
        remoteOffset = at;
        return this;
    }

    FakeOperation signal(long value) {
        hasSignal = true;
        operand = value;
        return this;
    }

    FakeOperation whenDone(Runnable action) {
        whenDone = action;
        return this;
    }

    boolean isDone() {
        return status != null;
    }

    @Override
    public void complete(Status outcome, long bytes, long value) {
        if (status != null) {
            throw new AssertionError("completed twice: " + status + ", then " + outcome);
        }
        if (next != null) {
            throw new AssertionError("completed while it was linked");
        }
        status = outcome;
        completedLength = bytes;
        completedValue = value;
        whenDone.run();
    }

    @Override
    public MemorySegment buffer() {
        return buffer;
    }

    @Override
    public MemorySegment @Nullable [] buffers() {
        return null;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public long tag() {
        return 0;
    }

    @Override
    public long tagMask() {
        return 0;
    }

    @Override
    public boolean isSynchronous() {
        return false;
    }

    @Override
    public RemoteMemory remote() {
        return Objects.requireNonNull(region, "region");
    }

    @Override
    public long remoteOffset() {
        return remoteOffset;
    }

    @Override
    public AtomicOperation atomic() {
        return atomic;
    }

    @Override
    public long operand() {
        return operand;
    }

    @Override
    public long compare() {
        return compare;
    }

    @Override
    public boolean hasSignal() {
        return hasSignal;
    }
}
