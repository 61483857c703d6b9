package io.fairlead.node;

/** How a {@link PeerSet} picks a member. */
public enum PeerSelection {
    /** One after the other. */
    ROUND_ROBIN,
    /** The one with the fewest operations that this set has called and that have not ended; one after the other among those that have as few. */
    LEAST_IN_FLIGHT
}
