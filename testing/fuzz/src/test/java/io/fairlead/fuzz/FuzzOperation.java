package io.fairlead.fuzz;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.served.ServedMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An operation as the core hands it over; it has to end once. */
public final class FuzzOperation extends Operation {
    private static final RegionProof PROOF = new RegionProof(1, 2, 3);

    private final ServedMemory remote = new ServedMemory(PROOF);
    private final MemorySegment memory;
    private final long tag;
    private final boolean isSynchronous;
    private @Nullable Status status;

    private FuzzOperation(MemorySegment memory, long tag, boolean isSynchronous) {
        this.memory = memory;
        this.tag = tag;
        this.isSynchronous = isSynchronous;
    }

    /** A send, a receive, or an access to the peer's region 1. */
    public static FuzzOperation over(MemorySegment memory, long tag) {
        return new FuzzOperation(memory, tag, false);
    }

    /** A send that ends when it is matched. */
    public static FuzzOperation untilMatched(MemorySegment memory, long tag) {
        return new FuzzOperation(memory, tag, true);
    }

    /** Whether it has ended. */
    public boolean hasEnded() {
        return status != null;
    }

    @Override
    public void complete(Status outcome, long length, long value) {
        Expect.that(status == null, "an operation ended twice");
        Expect.that(length >= 0, "an operation ended with a negative length");
        status = outcome;
    }

    @Override
    public MemorySegment buffer() {
        return memory;
    }

    @Override
    public MemorySegment @Nullable [] buffers() {
        return null;
    }

    @Override
    public long offset() {
        return 0;
    }

    @Override
    public long length() {
        return memory.byteSize();
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public long tagMask() {
        return -1L >>> 16;
    }

    @Override
    public boolean isSynchronous() {
        return isSynchronous;
    }

    @Override
    public RemoteMemory remote() {
        return remote;
    }

    @Override
    public long remoteOffset() {
        return 0;
    }

    @Override
    public AtomicOperation atomic() {
        return AtomicOperation.ADD;
    }

    @Override
    public long operand() {
        return 1;
    }

    @Override
    public long compare() {
        return 0;
    }

    @Override
    public boolean hasSignal() {
        return false;
    }
}
