package io.fairlead;

/** The kinds of path between two processes, best first: the order in which {@link PathPolicy#AUTO} prefers them. */
public enum PathClass {
    /** Within one process. Only test transports offer it. */
    IN_PROCESS,
    /** Memory that two processes of one host share. */
    SHARED_MEMORY,
    /** InfiniBand or RoCE. */
    RDMA,
    /** A TCP connection. */
    TCP
}
