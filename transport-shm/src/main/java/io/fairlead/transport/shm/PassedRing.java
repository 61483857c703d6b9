package io.fairlead.transport.shm;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The ring that a peer passes to one endpoint. It is mapped when it arrives, so that it holds no descriptor until the
 * endpoint asks for it.
 */
final class PassedRing {
    private final int receiver;
    private final RingSeal seal;
    /** Memory of the ring; 0 before it has arrived, and once it belongs to the endpoint. */
    private long slab;
    /** Why what has arrived is no ring. */
    private @Nullable IOException refused;

    /**
     * A ring that comes.
     *
     * @param receiver the endpoint's number
     */
    PassedRing(int receiver, RingSeal seal) {
        this.receiver = receiver;
        this.seal = seal;
    }

    int receiver() {
        return receiver;
    }

    /** Whether a packet for its receiver carries it. */
    boolean isIn(byte[] packet) {
        return seal.isOfPeer(packet);
    }

    boolean hasArrived() {
        return slab != 0 || refused != null;
    }

    /** Takes it out of its packet, and closes that. */
    void arrive(LocalSocket.Packet packet) {
        try {
            slab = MemoryFile.mapOther(packet.descriptor(), RingSlots.SLAB_SIZE);
            packet.closeMapped();
        } catch (IOException untrusted) {
            refused = untrusted;
            packet.close();
        } catch (RuntimeException | Error failure) {
            packet.close();
            throw failure;
        }
    }

    /**
     * Hands it over.
     *
     * @return the address of its memory, the caller's from now on; 0 if it has not arrived
     * @throws IOException if it cannot be mapped
     */
    long take() throws IOException {
        if (refused != null) {
            throw refused;
        }
        long taken = slab;
        slab = 0;
        return taken;
    }

    /** Unmaps what was not taken. */
    void close() {
        long left = slab;
        slab = 0;
        if (left != 0) {
            MemoryFile.unmapOther(left, RingSlots.SLAB_SIZE);
        }
    }
}
