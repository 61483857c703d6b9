package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.served.ServedMemory;

/**
 * A region that the network card accesses: puts and gets are UCX's own. Its owner serves atomics. UCX has atomics too,
 * but uses the network card only if that supports all of them. Otherwise it emulates them in the target's progress
 * (before 1.14 without reporting it), at an address that may be invalid by then. An atomic on a closed region ends the
 * target's process. One in flight when its endpoint ends ends the initiator's, which deregisters memory that it never
 * registered (1.13, {@code ucp_ep_req_purge}).
 */
final class RdmaMemory extends ServedMemory {
    /** UCX's key, unpacked. */
    private final long key;
    /** The address of the region in its owner. */
    private final long address;

    /**
     * Creates the remote memory of a region.
     *
     * @param key UCX's key, unpacked
     * @param address the address of the region in its owner
     * @param region the proof for the owner
     */
    RdmaMemory(long key, long address, RegionProof region) {
        super(region);
        this.key = key;
        this.address = address;
    }

    long key() {
        return key;
    }

    /** The address of an operation's first byte in the owner. */
    long addressOf(Operation operation) {
        return address + operation.remoteOffset();
    }

    @Override
    public void close() {
        Ucp.destroyKey(key);
    }
}
