package io.fairlead.node;

/** How a {@link PeerSet} picks a member. */
public enum PeerSelection {
    /** One after the other. */
    ROUND_ROBIN,
    /** The member with the fewest operations of this set in flight; one after the other among equals. */
    LEAST_IN_FLIGHT
}
