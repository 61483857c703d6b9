package io.fairlead;

/**
 * The kind of hardware that a path uses: the memory of one process, memory that two processes share, RDMA or TCP. The constants stand in the order in
 * which {@link PathPolicy#AUTO} prefers them, the best first. Several transports can make paths of one class;
 * {@link io.fairlead.spi.TransportProvider#rank()} then decides.
 */
public enum PathClass {
    /** Within one process. No transport for applications offers it; the loopback of the testkit does. */
    IN_PROCESS,
    /** Memory that two processes of one host share. */
    SHARED_MEMORY,
    /** InfiniBand or RoCE. */
    RDMA,
    /** A TCP connection. */
    TCP
}
