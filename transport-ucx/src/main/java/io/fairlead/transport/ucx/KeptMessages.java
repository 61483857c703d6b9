package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The unmatched eager messages of one worker that UCX does not keep: those of batches, and those whose endpoints have
 * ended. They are copied to the worker's memory.
 */
final class KeptMessages {
    private final EagerPool pool = new EagerPool();

    /** Copies a message, which begins at the given offset. */
    void keep(Arrival arrival, MemorySegment source, long offset) {
        EagerPool.Slab slab = allocate(arrival);
        fill(slab, arrival.word, 0, source, offset, arrival.length());
    }

    /** Takes memory for a message, which is attached to it. */
    EagerPool.Slab allocate(Arrival arrival) {
        EagerPool.Slab slab = pool.take((int) arrival.length());
        arrival.attachment = slab;
        arrival.word = slab.taken();
        return slab;
    }

    /** Copies bytes of a message to its memory. */
    void fill(EagerPool.Slab slab, long block, long from, MemorySegment source, long offset, long length) {
        MemorySegment.copy(source, offset, slab.memory(), slab.offset((int) block) + from, length);
    }

    /** Delivers a message into its receive; false if it is not kept here. */
    boolean tryDeliver(Arrival arrival) {
        if (!(arrival.attachment instanceof EagerPool.Slab slab)) {
            return false;
        }
        Operation receive = Objects.requireNonNull(arrival.operation(), "operation");
        int block = (int) arrival.word;
        long length = arrival.length();
        MemorySegment.copy(
                slab.memory(),
                slab.offset(block),
                receive.buffer(),
                receive.offset(),
                Math.min(length, receive.length()));
        giveBack(arrival, slab);
        receive.complete(Status.OK, length);
        return true;
    }

    /** Frees a message; false if it is not kept here. */
    boolean tryDiscard(Arrival arrival) {
        if (!(arrival.attachment instanceof EagerPool.Slab slab)) {
            return false;
        }
        giveBack(arrival, slab);
        return true;
    }

    private void giveBack(Arrival arrival, EagerPool.Slab slab) {
        pool.giveBack(slab, (int) arrival.word);
        arrival.attachment = null;
        arrival.word = 0;
    }

    void close() {
        pool.close();
    }
}
