package io.fairlead.internal.engine;

import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A receive of the core itself, which the application has not posted. */
abstract class OwnReceive extends Operation {
    @Override
    public MemorySegment @Nullable [] buffers() {
        return null;
    }

    @Override
    public long offset() {
        return 0;
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
        throw new IllegalStateException("a receive has no remote memory");
    }

    @Override
    public long remoteOffset() {
        return 0;
    }

    @Override
    public AtomicOperation atomic() {
        throw new IllegalStateException("a receive is no atomic");
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
}
