package io.fairlead.statistics;

/**
 * The counters of an endpoint, of a worker and of a context. A worker's value is the sum over its endpoints, a
 * context's the sum over its workers, including closed ones; exceptions are stated at the constants. Read by
 * {@link Counters#value}.
 *
 * <p>Most counters count events since the start and never decrease. Gauges show the current state and may decrease.
 * They are the constants that end in {@code _NOW}, {@code _POSTED}, {@code _OUTSTANDING} or {@code _LIMIT}, and
 * {@link #OPERATIONS_IN_FLIGHT}, {@link #UNEXPECTED_BYTES}, {@link #RECEIVES_POSTED_BYTES}, {@link #WORKERS},
 * {@link #REGIONS}, {@link #REGION_BYTES}, {@link #PROGRESS_GAP_NS} and {@link #PROGRESS_STALL_NS}.
 */
public enum Counter {
    /** Messages whose send has completed with OK, tagged and active ones. */
    MESSAGES_SENT,
    /** Payload bytes of the messages in {@link #MESSAGES_SENT}. */
    BYTES_SENT,
    /** Tagged and active messages whose receive has completed with OK, or that a handler got whole. */
    MESSAGES_RECEIVED,
    /** Payload bytes of the messages in {@link #MESSAGES_RECEIVED}. */
    BYTES_RECEIVED,
    /** Puts that have completed with OK, with or without a signal. */
    PUTS,
    /** Bytes that those puts have written. */
    BYTES_PUT,
    /** Gets that have completed with OK. */
    GETS,
    /** Bytes that those gets have read. */
    BYTES_GOT,
    /** Atomics that have completed with OK. */
    ATOMICS,
    /** Flushes that have completed with OK. */
    FLUSHES,
    /** Operations that completed with a status other than OK. */
    OPERATIONS_FAILED,
    /** Posts that returned BACK_PRESSURE and started nothing. */
    BACK_PRESSURE_EVENTS,
    /** Messages that arrived before a receive for them was posted. */
    UNEXPECTED_MESSAGES,
    /** Active messages that were dropped because no handler was registered for their number. */
    MESSAGES_UNHANDLED,
    /** Calls of progress; on a worker and a context only. */
    PROGRESS_CALLS,
    /** Calls of progress that found nothing to do; on a worker and a context only. */
    PROGRESS_IDLE,
    /** Endpoints whose handshake has succeeded; on a worker and a context only. */
    ENDPOINTS_CONNECTED,
    /** Endpoints that either side has closed gracefully; on a worker and a context only. */
    ENDPOINTS_CLOSED,
    /** Endpoints that failed, failed handshakes included; on a worker and a context only. */
    ENDPOINTS_FAILED,
    /** Unexpected messages now: messages that have arrived and wait for a receive. */
    UNEXPECTED_NOW,
    /** Operations in flight now. */
    OPERATIONS_IN_FLIGHT,
    /**
     * The total time under back-pressure in nanoseconds: each from a post that returned BACK_PRESSURE to the next
     * successful post.
     */
    BACK_PRESSURE_NS,
    /** Payload bytes of the messages in {@link #UNEXPECTED_NOW}; on a worker and a context only. */
    UNEXPECTED_BYTES,
    /**
     * Posted receives now: receives that wait for a message, and receives that a transport matches, until they
     * complete; on a worker and a context only.
     */
    RECEIVES_POSTED,
    /**
     * The capacity of the buffers of the receives in {@link #RECEIVES_POSTED}, in bytes; on a worker and a context
     * only.
     */
    RECEIVES_POSTED_BYTES,
    /** Comparisons of a receive with a message during matching; on a worker and a context only. */
    MATCH_ATTEMPTS,
    /**
     * Bytes that were sent on credit and whose match the peers have not reported yet; on a worker and a context only. A
     * peer reports matches once they are a quarter of its {@code endpoint.credit-bytes}, so an idle endpoint may stay at
     * up to that share.
     */
    CREDITS_OUTSTANDING,
    /** The credit limit in bytes, summed up over all connected endpoints; on a worker and a context only. */
    CREDITS_LIMIT,
    /**
     * The longest time in nanoseconds between two calls of progress within the last one to two minutes. It includes the
     * current gap and excludes waits. On a worker, and on a context as the maximum of its workers.
     */
    PROGRESS_GAP_NS,
    /**
     * The time in nanoseconds since the last call of progress, 0 for a worker that waits; on a worker, and on a context
     * as the maximum of its workers.
     */
    PROGRESS_STALL_NS,
    /** Open workers now; on a context only. */
    WORKERS,
    /** Open memory regions now; on a context only. */
    REGIONS,
    /** The length in bytes of the regions in {@link #REGIONS}, summed up; on a context only. */
    REGION_BYTES,
    /**
     * Connections that Node, publish-subscribe or another layer has created to replace lost ones; on a context only.
     */
    RECONNECTS,
    /** Connections that broke and went on over another socket; on a worker and a context only. */
    FAILOVERS,
    /** Connections that broke and could not go on; on a worker and a context only. */
    FAILOVERS_FAILED,
    /** Bytes that were kept when a connection broke, and sent over the next socket; on a worker and a context only. */
    FAILOVER_BYTES,
    /** Endpoints that went back to the lanes that they had left; on a worker and a context only. */
    FAILBACKS
}
