package io.fairlead.transport.ucx;

/** How an endpoint reaches its peer's memory. */
enum MemoryAccess {
    /** The two processes share memory: what the peer allocated is mapped here too. */
    MAPPED,
    /** A network card reads and writes. */
    RDMA,
    /** Neither: the peer serves every operation. */
    SERVED;

    /** Makes a region usable on an endpoint. What cannot be reached in a better way, or is gone already, is left to the peer. */
    UcxRemoteMemory reach(long endpoint, RegionKey region, long regionId) {
        if (this == MAPPED && region.file.length > 0) {
            SharedFile file = SharedFile.open(region.file, UcxMemory.size(region.markOffset));
            return file == null ? new UcxServedMemory(regionId) : new MappedMemory(file, region.markOffset);
        }
        if (this != RDMA || region.packed.length == 0) {
            return new UcxServedMemory(regionId);
        }
        long key = Ucp.unpackKey(endpoint, region.packed);
        return Ucp.isError(key) ? new UcxServedMemory(regionId) : new RdmaMemory(key, region.address, regionId);
    }
}
