package io.fairlead.internal.matching;

import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;

/** A receive of no bytes, of which matching asks for tag, mask and source only. */
final class TestReceive extends PostedReceive {
    private final MessageSource from;

    /** Takes messages of one source or, without one, of any. */
    TestReceive(MessageSource from) {
        this.from = from;
    }

    @Override
    protected boolean takesFrom(MessageSource source) {
        return from == null || from == source;
    }

    @Override
    public MemorySegment buffer() {
        return MemorySegment.NULL;
    }

    @Override
    public MemorySegment[] buffers() {
        return null;
    }

    @Override
    public long offset() {
        return 0;
    }

    @Override
    public long length() {
        return 0;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public long tagMask() {
        return tagMask;
    }

    @Override
    public boolean isSynchronous() {
        return false;
    }

    @Override
    public RemoteMemory remote() {
        throw new UnsupportedOperationException("a receive has no remote memory");
    }

    @Override
    public long remoteOffset() {
        return 0;
    }

    @Override
    public AtomicOperation atomic() {
        throw new UnsupportedOperationException("a receive is no atomic");
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
        throw new UnsupportedOperationException("matching completes nothing");
    }
}
