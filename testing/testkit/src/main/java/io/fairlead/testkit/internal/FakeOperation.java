package io.fairlead.testkit.internal;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.served.ServedMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An operation as the core would hand it over, which remembers how it ended and objects to ending twice. */
public class FakeOperation extends Operation {
    private MemorySegment buffer = MemorySegment.NULL;
    private MemorySegment @Nullable [] buffers;
    private long offset;
    private long length;
    private long tag;
    private boolean synchronous;
    private RemoteMemory remote = memory(0);
    private long remoteOffset;
    private AtomicOperation atomic = AtomicOperation.ADD;
    private long operand;
    private long compare;
    private boolean hasSignal;

    /** How it ended; null before that. */
    public @Nullable Status status;

    public long completedLength;
    public long completedValue;

    /** One without memory. */
    public FakeOperation() {}

    /** A send or a receive. */
    protected FakeOperation(MemorySegment buffer, long tag) {
        this.buffer = buffer;
        this.length = buffer.byteSize();
        this.tag = tag;
    }

    private static ServedMemory memory(long regionId) {
        return new ServedMemory(new RegionProof(regionId, ~regionId, regionId));
    }

    public static FakeOperation over(MemorySegment buffer) {
        return new FakeOperation(buffer, 0);
    }

    public static FakeOperation gather(MemorySegment... buffers) {
        FakeOperation operation = new FakeOperation();
        operation.buffers = buffers;
        for (MemorySegment part : buffers) {
            operation.length += part.byteSize();
        }
        return operation;
    }

    public FakeOperation range(long from, long bytes) {
        offset = from;
        length = bytes;
        return this;
    }

    public FakeOperation tag(long value) {
        tag = value;
        return this;
    }

    public FakeOperation untilMatched() {
        synchronous = true;
        return this;
    }

    public FakeOperation at(long regionId, long at) {
        remote = memory(regionId);
        remoteOffset = at;
        return this;
    }

    public FakeOperation signal(long value) {
        hasSignal = true;
        operand = value;
        return this;
    }

    public FakeOperation atomic(AtomicOperation operation, long newOperand, long newCompare) {
        atomic = operation;
        operand = newOperand;
        compare = newCompare;
        length = Long.BYTES;
        return this;
    }

    /** Makes it ready for another use, as the core does. */
    public void again() {
        status = null;
        word = 0;
    }

    public boolean done() {
        return status != null;
    }

    @Override
    public void complete(Status outcome, long bytes, long value) {
        if (status != null) {
            throw new AssertionError("completed twice: " + status + ", then " + outcome);
        }
        status = outcome;
        completedLength = bytes;
        completedValue = value;
    }

    @Override
    public MemorySegment buffer() {
        return buffer;
    }

    @Override
    public MemorySegment @Nullable [] buffers() {
        return buffers;
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
        return tag;
    }

    @Override
    public long tagMask() {
        return ~0L >>> 16;
    }

    @Override
    public boolean isSynchronous() {
        return synchronous;
    }

    @Override
    public RemoteMemory remote() {
        return remote;
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
