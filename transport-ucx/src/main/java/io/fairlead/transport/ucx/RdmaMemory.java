package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.served.ServedMemory;

/**
 * A region that the network card reaches: UCX's own puts and gets. Atomics are served. UCX does them by itself too, and lets the network card
 * do them only where that knows all of them. Else it emulates them in the target's progress (and before 1.14 tells nobody), on whatever is
 * at the address by then: one on a region that has been closed ends the target's process, and one in flight when its endpoint ends that of
 * the initiator, which deregisters memory that it never registered (1.13, {@code ucp_ep_req_purge}).
 */
final class RdmaMemory extends ServedMemory {
    /** UCX's, unpacked. */
    private final long key;
    /** Where the region begins in its owner. */
    private final long address;

    /**
     * Makes one.
     *
     * @param key UCX's, unpacked
     * @param address where the region begins in its owner
     * @param region what to show the owner
     */
    RdmaMemory(long key, long address, RegionProof region) {
        super(region);
        this.key = key;
        this.address = address;
    }

    long key() {
        return key;
    }

    /** Where an operation begins in the owner. */
    long addressOf(Operation operation) {
        return address + operation.remoteOffset();
    }

    @Override
    public void close() {
        Ucp.destroyKey(key);
    }
}
