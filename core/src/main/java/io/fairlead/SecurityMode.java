package io.fairlead;

/** How the connections of a context are protected. The stricter mode of two peers decides which paths they may take. */
public enum SecurityMode {
    /** Not at all: nothing is encrypted, and nobody proves who it is. Allowed on loopback addresses, and elsewhere only where it is asked for. */
    OFF,
    /**
     * Every connection is TLS 1.3 and both sides prove who they are. Data over TCP is inside of it; data by shared memory and RDMA is bound
     * to the connection, and not encrypted.
     */
    AUTHENTICATED,
    /** As {@link #AUTHENTICATED}; RDMA between hosts is chosen only where {@code security.trusted-fabric} says that the fabric is trusted. */
    ENCRYPTED
}
