package io.fairlead.spi.served;

import io.fairlead.spi.RemoteMemory;

/** A region of the peer that the peer serves by messages. The {@link io.fairlead.spi.Operation#remote()} of every operation given to a {@link RemoteRequester} is one. */
public interface ServedMemory extends RemoteMemory {
    /**
     * The region's id at its owner, as {@link io.fairlead.spi.TransportEndpoint#unpack} was given it.
     *
     * @return the id
     */
    long regionId();

    /**
     * Makes the remote memory of a region for which the transport holds no resources.
     *
     * @param regionId the region's id at its owner
     * @return the remote memory
     */
    static ServedMemory of(long regionId) {
        return new ServedRegion(regionId);
    }
}
