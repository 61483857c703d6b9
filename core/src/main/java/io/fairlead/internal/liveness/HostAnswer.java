package io.fairlead.internal.liveness;

/** The state of the host at the other end of a connection. */
public enum HostAnswer {
    /** Its kernel answers, regardless of its processes. */
    ANSWERS,
    /** This side's kernel has retransmitted and waits. */
    AWAITED,
    /** This side's kernel has retransmitted more than once without an answer. */
    NONE,
    /** This system does not report it, or was not queried yet. */
    UNKNOWN
}
