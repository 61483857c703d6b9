package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Descriptors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * The rings that a worker reads, several per piece of shared memory. A ring is used once: a disconnected peer may still
 * have it mapped, and could write to a ring of another endpoint. The memory is freed when none of its rings is in use.
 */
final class RingSlots {
    private static final int PER_SLAB = 8;
    /** The offset of the first ring, after the word that shows whether the reader rests. */
    private static final int RINGS_AT = 64;

    static final int SLAB_SIZE = RINGS_AT + PER_SLAB * Ring.SIZE;

    /** The rings of one piece of memory. */
    private static final class Slab {
        final MemoryFile memory;
        int used;
        int ended;

        Slab(MemoryFile memory) {
            this.memory = memory;
        }
    }

    /** A ring of this worker, which it reads. */
    static final class Slot extends RingReader {
        private final Slab slab;
        private final int index;

        private Slot(Slab slab, int index) {
            super(ringAddress(slab.memory.address(), index));
            this.slab = slab;
            this.index = index;
        }

        long address() {
            return ringAddress(slab.memory.address(), index);
        }

        /** The key with which a peer maps the slab. */
        byte[] key() {
            return slab.memory.key();
        }

        int index() {
            return index;
        }
    }

    private final List<Slab> slabs = new ArrayList<>();

    /** The address of a slab's ring. */
    static long ringAddress(long slab, int index) {
        return slab + RINGS_AT + (long) index * Ring.SIZE;
    }

    static boolean isIndex(int index) {
        return index >= 0 && index < PER_SLAB;
    }

    /**
     * Allocates an unused ring.
     *
     * @throws FairleadException {@code LIMIT_REACHED} if there is no memory or no descriptor for one
     */
    Slot take() {
        Slab slab = slabs.isEmpty() ? null : slabs.getLast();
        if (slab == null || slab.used == PER_SLAB) {
            slab = allocate();
            slabs.add(slab);
        }
        return new Slot(slab, slab.used++);
    }

    private static Slab allocate() {
        int free = Descriptors.free();
        if (free <= Descriptors.RESERVE) {
            throw new FairleadException(Reason.LIMIT_REACHED, "no ring can be made: " + Descriptors.shortage(free));
        }
        try {
            return new Slab(MemoryFile.create(SLAB_SIZE, Arena.ofConfined()));
        } catch (IOException full) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "no memory for a ring: length=" + SLAB_SIZE + " bytes, cause: " + full.getMessage()
                            + "; raise the memory limit, or leave shm out of the transports",
                    full);
        }
    }

    void giveBack(Slot slot) {
        Slab slab = slot.slab;
        slab.ended++;
        if (slab.ended == slab.used) {
            slabs.remove(slab);
            slab.memory.close();
        }
    }

    /** Reports to the writers whether they must wake this worker; before the last check of the rings. */
    void setResting(boolean resting) {
        for (Slab slab : slabs) {
            Ring.setResting(slab.memory.address(), resting);
        }
        if (resting) {
            Ring.fenceBeforeLastCheck();
        }
    }

    void close() {
        CloseSteps.runAll(() -> CloseSteps.runEach(slabs, slab -> slab.memory.close()), slabs::clear);
    }
}
