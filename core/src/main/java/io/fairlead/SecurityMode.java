package io.fairlead;

/** How the connections of a context are protected. The stricter mode of two peers decides which paths are allowed. */
public enum SecurityMode {
    /**
     * No encryption and no authentication. Allowed on loopback addresses, and elsewhere only if configured explicitly.
     */
    OFF,
    /**
     * Every connection is TLS 1.3 and both sides authenticate. TCP data is encrypted. Data over shared memory and RDMA
     * is bound to the connection, but not encrypted.
     */
    AUTHENTICATED,
    /**
     * As {@link #AUTHENTICATED}; RDMA between hosts is chosen only if {@code security.trusted-fabric} marks the fabric
     * as trusted.
     */
    ENCRYPTED
}
