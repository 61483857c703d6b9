package io.fairlead;

/**
 * Why an endpoint took its path, as one of a closed set: fit for a metric's tag or a switch. The words for people are in
 * {@link Path#reason()}.
 */
public enum PathCause {
    /** It is the best of several paths that both sides have. */
    FASTEST,
    /** The sides share no other transport. */
    ONLY_SHARED,
    /** The sides share other transports, and none of those reaches the peer. */
    ONLY_REACHING,
    /** The policy of a side narrowed the choice. */
    POLICY
}
