package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.spi.EndpointHost;
import java.io.IOException;

/** The two rings that the ends of a connection pass to each other: the one that this side reads, and the peer's. */
final class RingPassing {
    private final RingSlots slots;
    private final RingListener rings;
    private final RingSlots.Slot slot;
    private final PassedRing passed;

    /**
     * Makes a ring, and passes it to the peer.
     *
     * @param singleCopy whether the peer's process may be read
     * @param token what the peer's {@link RingListener} expects
     * @param socket to that
     * @throws FairleadException {@code LIMIT_REACHED} if there is no memory or no descriptor for the ring
     * @throws IOException if the peer does not take the ring
     */
    RingPassing(
            RingSlots slots,
            RingListener rings,
            EndpointHost host,
            RingSeal seal,
            boolean singleCopy,
            byte[] token,
            LocalSocket socket)
            throws IOException {
        this.slots = slots;
        this.rings = rings;
        this.slot = slots.take();
        try {
            if (singleCopy) {
                Ring.allowSingleCopy(slot.address());
            }
            socket.send(seal.packet(token), slot.descriptor());
            slot.closeDescriptor();
        } catch (IOException | RuntimeException | Error failure) {
            slots.giveBack(slot);
            throw failure;
        }
        this.passed = rings.await(host.id(), seal);
    }

    /** The ring that this side reads; the caller gives it back. */
    RingSlots.Slot slot() {
        return slot;
    }

    /** Nobody uses the ring that this side reads. */
    void giveBack() {
        slots.giveBack(slot);
    }

    /**
     * The memory of the peer's ring, which it has passed before its last message on the control connection.
     *
     * @return its address; the caller's
     * @throws FairleadException as {@link RingListener#take}
     * @throws IOException if the peer has passed no ring, or what it has passed cannot be mapped
     */
    long takePassed() throws IOException {
        long slab = rings.take(passed);
        if (slab == 0) {
            throw new IOException("the peer has passed no ring, or too many others wait");
        }
        return slab;
    }

    /** No ring of the peer is expected any more. */
    void forget() {
        rings.forget(passed);
    }
}
