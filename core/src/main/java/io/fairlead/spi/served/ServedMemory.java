package io.fairlead.spi.served;

import io.fairlead.spi.RemoteMemory;

/** A peer's region that its owner serves: what the remote side of every operation given to a {@link RemoteRequester} has to be. */
public interface ServedMemory extends RemoteMemory {
    /**
     * The region's id at its owner.
     *
     * @return what {@link io.fairlead.spi.TransportEndpoint#unpack} was given
     */
    long regionId();

    /**
     * A region for which the transport holds nothing.
     *
     * @param regionId the region's id at its owner
     * @return the region
     */
    static ServedMemory of(long regionId) {
        return new ServedRegion(regionId);
    }
}
