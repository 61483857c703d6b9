package io.fairlead;

/** The kinds of path between two workers, best first: {@link PathPolicy#AUTO} prefers them in the order of these constants. */
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
