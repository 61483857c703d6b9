package io.fairlead;

/**
 * The kind of hardware that a path uses: memory of one process, memory that two processes share, RDMA or TCP. The order
 * of the constants is the order of preference of {@link PathPolicy#AUTO}, best first. Several transports can offer
 * paths of one class; {@link io.fairlead.spi.TransportProvider#rank()} then decides.
 */
public enum PathClass {
    /** Within one process. Only the loopback transport of the testkit offers it. */
    IN_PROCESS,
    /** Memory that two processes of one host share. */
    SHARED_MEMORY,
    /** InfiniBand or RoCE. */
    RDMA,
    /** A TCP connection. */
    TCP
}
