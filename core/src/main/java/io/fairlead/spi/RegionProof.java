package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * The proof that a peer has a key of a region: the region's id, and 128 random bits that only the region's keys
 * contain. The first request of an endpoint for the region carries it; later requests carry only the id.
 *
 * @param regionId the region's id at its owner
 * @param high the upper 64 of the random bits
 * @param low the lower 64 of the random bits
 */
@Incubating
public record RegionProof(long regionId, long high, long low) {
    /** Omits the random bits. */
    @Override
    public String toString() {
        return "RegionProof[regionId=" + regionId + "]";
    }
}
