package io.fairlead.spi;

import io.fairlead.Incubating;

/**
 * What a remote key says of its region to the peer that serves it: which region, and 128 random bits that nobody knows who was never given the key. It
 * travels with the first request of an endpoint for the region, and a later request has the id alone.
 *
 * @param regionId the region's id at its owner
 * @param high the first half of the random bits
 * @param low the second half
 */
@Incubating
public record RegionProof(long regionId, long high, long low) {
    /** Without the random bits. */
    @Override
    public String toString() {
        return "RegionProof[regionId=" + regionId + "]";
    }
}
