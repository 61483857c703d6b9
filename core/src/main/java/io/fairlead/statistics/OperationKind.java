package io.fairlead.statistics;

/** What an operation does, as statistics tell operations apart. */
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
