package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Descriptors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The rings that a worker reads. Each has a file of its own, because a peer that has a file's descriptor can write all
 * of it. A ring is used once: a disconnected peer may still have it mapped.
 */
final class RingSlots {
    /** The offset of the ring, after the word that shows whether the reader rests. */
    private static final int RING_AT = 64;

    /**
     * For the moment in which a ring is passed: its connection and its file. The core keeps more for connections, half of it for
     * peers that are being refused.
     */
    private static final int RESERVE = Descriptors.RESERVE / 4;

    static final int SLAB_SIZE = RING_AT + Ring.SIZE;

    /** A ring of this worker, which it reads. */
    static final class Slot extends RingReader {
        /** In memory before the slab. */
        private final long entry;

        private final long slab;
        private int descriptor;
        /** Where it is in the list. */
        private int index;

        private Slot(long entry, int descriptor, int index) {
            super(ringAddress(entry + Ring.ENTRY_ROOM));
            this.entry = entry;
            this.slab = entry + Ring.ENTRY_ROOM;
            this.descriptor = descriptor;
            this.index = index;
        }

        private static Slot create(int index) throws IOException {
            int descriptor = MemoryFile.createUnmapped(SLAB_SIZE);
            try {
                return new Slot(MemoryFile.mapBehind(Ring.ENTRY_ROOM, descriptor, SLAB_SIZE), descriptor, index);
            } catch (IOException | RuntimeException | Error failure) {
                Libc.close(descriptor);
                throw failure;
            }
        }

        long address() {
            return ringAddress(slab);
        }

        /** The descriptor to pass to the writer; -1 once it was passed. */
        int descriptor() {
            return descriptor;
        }

        /** The writer has its own descriptor by now, and nobody else gets one. */
        void closeDescriptor() {
            int open = descriptor;
            if (open >= 0) {
                descriptor = -1;
                Libc.close(open);
            }
        }

        private void free() {
            CloseSteps.runAll(() -> MemoryFile.unmapOther(entry, Ring.ENTRY_ROOM + SLAB_SIZE), this::closeDescriptor);
        }
    }

    private final Lifeline lifeline;

    private final List<Slot> slots = new ArrayList<>();

    /** Creates none yet; the lifeline lets their writers notice the end of this process. */
    RingSlots(Lifeline lifeline) {
        this.lifeline = lifeline;
    }

    /** The address of a slab's ring. */
    static long ringAddress(long slab) {
        return slab + RING_AT;
    }

    /**
     * Allocates an unused ring.
     *
     * @throws FairleadException {@code LIMIT_REACHED} if there is no memory or no descriptor for one
     */
    Slot take() {
        // It has its descriptor for a moment only, and may use what others leave free.
        int free = Descriptors.free();
        if (free <= RESERVE) {
            throw new FairleadException(Reason.LIMIT_REACHED, "no ring can be made: " + Descriptors.shortage(free));
        }
        try {
            Slot slot = Slot.create(slots.size());
            slots.add(slot);
            lifeline.hold(slot.entry);
            return slot;
        } catch (IOException full) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "no memory for a ring: length=" + SLAB_SIZE + " bytes, cause: " + full.getMessage()
                            + "; raise the memory limit, or leave shm out of the transports",
                    full);
        }
    }

    void giveBack(Slot slot) {
        Slot last = slots.removeLast();
        if (last.index != slot.index) {
            last.index = slot.index;
            slots.set(slot.index, last);
        }
        free(slot);
    }

    private void free(Slot slot) {
        lifeline.release(slot.entry);
        slot.free();
    }

    /** Reports to the writers whether they must wake this worker; before the last check of the rings. */
    void setResting(boolean resting) {
        for (int i = 0; i < slots.size(); i++) {
            Ring.setResting(slots.get(i).slab, resting);
        }
        if (resting) {
            Ring.fenceBeforeLastCheck();
        }
    }

    void close() {
        CloseSteps.runAll(() -> CloseSteps.runEach(slots, this::free), slots::clear);
    }
}
