package io.fairlead.statistics;

/** The kinds of operation that {@link Statistics} counts separately. */
public enum OperationKind {
    /** A sent tagged message, including synchronous and gathered ones. */
    SEND,
    /** A received tagged message. */
    RECEIVE,
    /** A put, with or without signal. */
    PUT,
    /** A get. */
    GET,
    /** An atomic. */
    ATOMIC,
    /** A flush. */
    FLUSH
}
