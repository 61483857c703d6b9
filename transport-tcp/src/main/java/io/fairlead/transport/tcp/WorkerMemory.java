package io.fairlead.transport.tcp;

import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.EagerPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The memory that the endpoints of one worker share. */
final class WorkerMemory implements AutoCloseable {
    private static final int ZERO_BYTES = 64 << 10;

    private final Arena arena = Arena.ofConfined();
    private final BufferPool buffers = new BufferPool();
    private final EagerPool eagerPool = new EagerPool();
    private final ViewCache views = new ViewCache();
    private final ReceiveBuffers receiveBuffers = new ReceiveBuffers(arena);
    private @Nullable MemorySegment zeros;

    ReceiveBuffers receiveBuffers() {
        return receiveBuffers;
    }

    BufferPool buffers() {
        return buffers;
    }

    EagerPool eagerPool() {
        return eagerPool;
    }

    ViewCache views() {
        return views;
    }

    /** Replaces the bytes of a closed region. */
    MemorySegment zeros() {
        MemorySegment segment = zeros;
        if (segment == null) {
            segment = arena.allocate(ZERO_BYTES, 64);
            zeros = segment;
        }
        return segment;
    }

    @Override
    public void close() {
        CloseSteps.runAll(views::clear, eagerPool::close, buffers::close, arena::close);
    }
}
