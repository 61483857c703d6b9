package io.fairlead.transport.ucx;

import io.fairlead.spi.RegionProof;
import io.fairlead.spi.served.ServedMemory;
import org.jspecify.annotations.Nullable;

/**
 * A region that is accessed without its owner. A network card does it by UCX's puts and gets; in shared memory this
 * process's processor does, which takes half of the time of a call of UCX.
 *
 * <p>So that atomics are atomic against those of every other path, this process's processor carries them out where the
 * region is mapped, and else its owner. UCX has atomics too, but a network card's only if that supports all of them.
 * Otherwise it emulates them in the target's progress (before 1.14 without reporting it), at an address that may be
 * invalid by then. An atomic on a closed region ends the target's process. One in flight when its endpoint ends ends the
 * initiator's, which deregisters memory that it never registered (1.13, {@code ucp_ep_req_purge}).
 */
final class OneSidedMemory extends ServedMemory {
    /** UCX's key, unpacked; 0 if the region is mapped. */
    private final long key;
    /** The address of the region in its owner. */
    private final long address;
    /** The mapping; null if a network card accesses the region. */
    private final @Nullable SharedRegion shared;

    private OneSidedMemory(long key, long address, @Nullable SharedRegion shared, RegionProof region) {
        super(region);
        this.key = key;
        this.address = address;
        this.shared = shared;
    }

    /**
     * A region that a network card accesses.
     *
     * @param key UCX's key, unpacked, which this destroys
     * @param address the address of the region in its owner
     * @param region the proof for the owner
     */
    static OneSidedMemory ofCard(long key, long address, RegionProof region) {
        return new OneSidedMemory(key, address, null, region);
    }

    /**
     * A region that is mapped.
     *
     * @param mapping the region, which this closes
     * @param region the proof for the owner
     */
    static OneSidedMemory mapped(SharedRegion mapping, RegionProof region) {
        return new OneSidedMemory(0, 0, mapping, region);
    }

    long key() {
        return key;
    }

    /** The address in the owner of a byte at an offset. */
    long addressOf(long offset) {
        return address + offset;
    }

    /** Whether the owner has not closed the region, if its memory is mapped here; a network card checks by itself. */
    boolean isOpen() {
        return shared == null || shared.isOpen();
    }

    /** The mapping; null if a network card accesses the region. */
    @Nullable SharedRegion shared() {
        return shared;
    }

    @Override
    public void close() {
        if (shared == null) {
            Ucp.destroyKey(key);
        } else {
            shared.close();
        }
    }
}
