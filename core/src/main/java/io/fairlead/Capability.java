package io.fairlead;

/** What a transport can do. A transport that lacks one answers {@link Status#UNSUPPORTED} to the operations behind it. */
public enum Capability {
    /** Tagged send and receive, with order, masks and truncation, and active messages. */
    TAGGED,
    /** Sends that complete when they are matched. */
    SYNCHRONOUS_SEND,
    /** Put, flush and fence. */
    PUT,
    /** Get. */
    GET,
    /** Put that delivers a 64-bit value to the target after its data. */
    PUT_SIGNAL,
    /** Atomics on aligned 64-bit words. */
    ATOMIC,
    /** Put and get run without the target calling {@link Worker#progress()}. */
    ONE_SIDED,
    /** A region that its owner has {@linkplain Context#allocate allocated} can be read where it is: {@link RemoteKey#mapped()}. */
    MAPPED_MEMORY,
    /** A worker of this transport can wait for events without using the processor. */
    BLOCKING_WAIT
}
