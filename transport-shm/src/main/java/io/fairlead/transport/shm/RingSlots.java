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
 * The rings that a worker reads, several in one piece of shared memory. A ring is used once: a peer that was cut off may
 * still have it mapped, and would write into what is a stranger's by then. The memory goes when none of its rings is in use.
 */
final class RingSlots {
    private static final int PER_SLAB = 8;
    /** Where the first ring is; before it is the word that tells whether the reader rests. */
    private static final int RINGS_AT = 64;

    static final int SLAB_SIZE = RINGS_AT + PER_SLAB * Ring.SIZE;

    /** Rings in one piece. */
    private static final class Slab {
        final MemoryFile memory;
        int used;
        int ended;

        Slab(MemoryFile memory) {
            this.memory = memory;
        }
    }

    /** A ring of this worker's. */
    static final class Slot {
        private final Slab slab;
        private final int index;

        private Slot(Slab slab, int index) {
            this.slab = slab;
            this.index = index;
        }

        long address() {
            return ringAddress(slab.memory.address(), index);
        }

        /** By which a peer maps the slab. */
        byte[] key() {
            return slab.memory.key();
        }

        int index() {
            return index;
        }
    }

    private final List<Slab> slabs = new ArrayList<>();

    /** Where a ring of a slab is. */
    static long ringAddress(long slab, int index) {
        return slab + RINGS_AT + (long) index * Ring.SIZE;
    }

    static boolean isIndex(int index) {
        return index >= 0 && index < PER_SLAB;
    }

    /**
     * A ring that was never used.
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

    /** Tells the writers whether somebody has to wake this worker; before the rings are looked at for the last time. */
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
