package io.fairlead.internal.liveness;

/** What is known of the host at the other end of a connection. */
public enum HostAnswer {
    /** Its kernel answers, whatever the process there does. */
    ANSWERS,
    /** This side's kernel has asked again and waits. */
    AWAITED,
    /** This side's kernel has asked again more than once, and nothing came back. */
    NONE,
    /** This system does not tell, or has not been asked yet. */
    UNKNOWN
}
