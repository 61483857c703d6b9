package io.fairlead.transport.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rings that a worker reads, several in one piece of shared memory. A ring is used once: a peer that was cut off may
 * still have it mapped, and would write into what is a stranger's by then. The memory goes when none of its rings is in use.
 */
final class RingSlots {
    private static final Logger LOG = LoggerFactory.getLogger(RingSlots.class);
    private static final int PER_SLAB = 8;
    /** Where the first ring is; before it is the word that tells whether the reader rests. */
    private static final int RINGS_AT = 64;

    static final int SLAB_SIZE = RINGS_AT + PER_SLAB * Ring.SIZE;

    /** Rings in one piece. */
    private static final class Slab {
        final SharedFile memory;
        int used;
        int ended;

        Slab(SharedFile memory) {
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
    /** There is no memory to share, so that it is not asked for again with every endpoint. */
    private boolean exhausted;

    /** Where a ring of a slab is. */
    static long ringAddress(long slab, int index) {
        return slab + RINGS_AT + (long) index * Ring.SIZE;
    }

    static boolean isIndex(int index) {
        return index >= 0 && index < PER_SLAB;
    }

    /** A ring that was never used; null if there is no memory for one. */
    @Nullable Slot take() {
        Slab slab = slabs.isEmpty() ? null : slabs.getLast();
        if (slab == null || slab.used == PER_SLAB) {
            slab = exhausted ? null : allocate();
            if (slab == null) {
                return null;
            }
            slabs.add(slab);
        }
        return new Slot(slab, slab.used++);
    }

    private @Nullable Slab allocate() {
        try {
            return new Slab(SharedFile.create(SLAB_SIZE, Arena.ofConfined()));
        } catch (IOException full) {
            LOG.warn("messages go through UCX's queues alone, which is slower: no shared memory", full);
        }
        exhausted = true;
        return null;
    }

    void giveBack(Slot slot) {
        Slab slab = slot.slab;
        slab.ended++;
        if (slab.ended == slab.used) {
            slabs.remove(slab);
            slab.memory.close();
        }
    }

    /** Tells the writers whether somebody has to wake this worker. */
    void rest(boolean resting) {
        for (Slab slab : slabs) {
            Ring.WORD.setOpaque(Ring.MEMORY, slab.memory.address(), resting ? 1L : 0L);
        }
        if (resting) {
            // Before the rings are looked at for the last time.
            VarHandle.fullFence();
        }
    }

    /** Whether the reader of a slab rests; to be asked behind a full fence. */
    static boolean rests(long slab) {
        return (long) Ring.WORD.getOpaque(Ring.MEMORY, slab) != 0;
    }

    /** Whether it is up to the caller to wake it. */
    static boolean claimsWakeup(long slab) {
        return Ring.WORD.compareAndSet(Ring.MEMORY, slab, 1L, 0L);
    }

    void close() {
        slabs.forEach(slab -> slab.memory.close());
        slabs.clear();
    }
}
