package io.fairlead;

/**
 * Why an endpoint took its path, as one of a closed set: suitable for a metric's tag or a switch. {@link Path#reason()}
 * has the explanation in words.
 */
public enum PathCause {
    /** The best of several paths that both sides have. */
    FASTEST,
    /** The sides share no other transport. */
    ONLY_SHARED,
    /** The sides share other transports, but none of those reaches the peer. */
    ONLY_REACHING,
    /** The policy of one side narrowed the choice. */
    POLICY,
    /** The lanes of the first path have failed, {@code endpoint.failover} is on, and they do not work again. */
    FAILOVER
}
