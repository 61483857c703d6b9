package io.fairlead;

/** What the holder of a {@link RemoteKey} may do to a memory region. */
public enum AccessRight {
    /** Get. */
    READ,
    /** Put and put-with-signal. */
    WRITE,
    /** Atomic operations on aligned 64-bit words, which both read and write. */
    ATOMIC
}
