package io.fairlead.statistics;

/** The kinds of operation that {@link Statistics} counts apart. */
public enum OperationKind {
    /** A tagged message sent, synchronous and gathered ones included. */
    SEND,
    /** A tagged message received. */
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
