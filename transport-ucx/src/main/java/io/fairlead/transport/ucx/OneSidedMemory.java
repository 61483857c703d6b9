package io.fairlead.transport.ucx;

import io.fairlead.spi.RegionProof;
import io.fairlead.spi.served.ServedMemory;
import org.jspecify.annotations.Nullable;

/**
 * A region that is accessed without its owner, by a network card or in shared memory: puts and gets are UCX's own. So
 * that atomics are atomic against those of every other path, this process's processor carries them out where the region
 * is mapped, and else its owner. UCX has atomics too, but not with peer error handling from 1.16 on, and by a network card
 * only if that supports all of them. Otherwise it emulates them in
 * the target's progress (before 1.14 without reporting it), at an address that may be invalid by then. An atomic on a
 * closed region ends the target's process. One in flight when its endpoint ends ends the initiator's, which deregisters
 * memory that it never registered (1.13, {@code ucp_ep_req_purge}).
 */
final class OneSidedMemory extends ServedMemory {
    /** UCX's key as its owner has sent it; empty if the endpoint never leaves its lanes. */
    private final byte[] packed;
    /** UCX's key, unpacked for one UCX endpoint; 0 if it cannot be. */
    private long key;
    /** The epoch of the lanes for which it was unpacked. */
    private int epoch;
    /** The address of the region in its owner. */
    private final long address;
    /** The mapping; null if a network card accesses the region. */
    private final @Nullable SharedRegion shared;

    /**
     * Creates the remote memory of a region.
     *
     * @param key UCX's key, unpacked; 0 if there is no UCX endpoint now
     * @param epoch of the lanes for which it was unpacked
     * @param packed the key as its owner has sent it, if it may be unpacked again; else empty
     * @param address the address of the region in its owner
     * @param shared the mapping, which this closes; null if a network card accesses the region
     * @param region the proof for the owner
     */
    OneSidedMemory(
            long key, int epoch, byte[] packed, long address, @Nullable SharedRegion shared, RegionProof region) {
        super(region);
        this.key = key;
        this.epoch = epoch;
        this.packed = packed;
        this.address = address;
        this.shared = shared;
    }

    /** Whether the key was unpacked for lanes of an epoch, or cannot be. */
    boolean isOf(int lanes) {
        return epoch == lanes;
    }

    /** The key is unpacked for other lanes; 0 if it cannot be. */
    void renew(long unpacked, int lanes) {
        destroyKey();
        key = unpacked;
        epoch = lanes;
    }

    byte[] packed() {
        return packed;
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
        destroyKey();
        if (shared != null) {
            shared.close();
        }
    }

    private void destroyKey() {
        if (key != 0) {
            Ucp.destroyKey(key);
            key = 0;
        }
    }
}
