package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An operation of nobody's, whose end nobody waits for. */
class RawOperation extends Operation {
    private final MemorySegment buffer;
    private final long tag;

    RawOperation() {
        this(MemorySegment.NULL, 0);
    }

    RawOperation(MemorySegment buffer, long tag) {
        this.buffer = buffer;
        this.tag = tag;
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
        return 0;
    }

    @Override
    public long length() {
        return buffer.byteSize();
    }

    @Override
    public long tag() {
        return tag;
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
        throw new UnsupportedOperationException("no remote memory");
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
        return 0;
    }

    @Override
    public long compare() {
        return 0;
    }

    @Override
    public boolean hasSignal() {
        return false;
    }

    @Override
    public void complete(Status status, long length, long value) {
        // Nobody waits for it.
    }
}
