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
        if (this == SERVED || region.packed.length == 0) {
            return new ServedMemory(regionId);
        }
        if (this == MAPPED) {
            PeerMapping mapping = PeerMapping.of(endpoint, region);
            return mapping == null ? new ServedMemory(regionId) : new MappedMemory(mapping, region.markOffset);
        }
        long key = Ucp.unpackKey(endpoint, region.packed);
        return Ucp.isError(key) ? new ServedMemory(regionId) : new RdmaMemory(key, region.address);
    }
}
