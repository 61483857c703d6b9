package io.fairlead.transport.ucx;

/** How an endpoint reaches its peer's memory. */
enum MemoryAccess {
    /** The two processes share memory: what UCX allocated is mapped here too. */
    MAPPED,
    /** A network card reads and writes. */
    RDMA,
    /** Neither: the peer serves every operation. */
    SERVED;

    /** Makes a region usable on an endpoint. What cannot be reached in a better way, or is gone already, is left to the peer. */
    UcxRemoteMemory reach(long endpoint, RegionKey region, long regionId) {
        if (this == SERVED || (this == MAPPED && !region.allocated) || region.packed.length == 0) {
            return new ServedMemory(regionId);
        }
        if (this == MAPPED && !region.mapping.isAt(region.address)) {
            // Closed, or its owner is dead.
            return new ServedMemory(regionId);
        }
        long key = Ucp.unpackKey(endpoint, region.packed);
        if (Ucp.isError(key)) {
            return new ServedMemory(regionId);
        }
        if (this == RDMA) {
            return new RdmaMemory(key, region.address);
        }
        long pointer = Ucp.pointer(key, region.address);
        if (pointer == 0) {
            Ucp.destroyKey(key);
            return new ServedMemory(regionId);
        }
        return new MappedMemory(key, pointer, region.markOffset);
    }
}
