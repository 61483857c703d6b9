package io.fairlead.transport.ucx;

import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer's that UCX allocated there and has mapped here.
 *
 * @param key UCX's handle, which keeps the mapping
 * @param address where it is in this process
 */
record PeerMapping(long key, long address) {
    /** Null where the owner has closed it or died, and where nothing but UCX reaches it. */
    static @Nullable PeerMapping of(long endpoint, RegionKey region) {
        if (!region.allocated || !region.mapping.isAt(region.address)) {
            return null;
        }
        long key = Ucp.unpackKey(endpoint, region.packed);
        if (Ucp.isError(key)) {
            return null;
        }
        long address = Ucp.pointer(key, region.address);
        if (address == 0) {
            Ucp.destroyKey(key);
            return null;
        }
        return new PeerMapping(key, address);
    }

    void close() {
        Ucp.destroyKey(key);
    }
}
