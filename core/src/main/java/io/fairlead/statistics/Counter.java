package io.fairlead.statistics;

/**
 * What is counted, per endpoint, per worker (the sum over its endpoints, past ones included) and per context (the sum over its workers,
 * past ones included).
 */
public enum Counter {
    /** Tagged messages sent and completed. */
    MESSAGES_SENT,
    /** Payload bytes of those. */
    BYTES_SENT,
    /** Tagged messages received and completed. */
    MESSAGES_RECEIVED,
    /** Payload bytes of those. */
    BYTES_RECEIVED,
    /** Puts completed. */
    PUTS,
    /** Bytes put. */
    BYTES_PUT,
    /** Gets completed. */
    GETS,
    /** Bytes got. */
    BYTES_GOT,
    /** Atomics completed. */
    ATOMICS,
    /** Flushes completed. */
    FLUSHES,
    /** Operations that completed with a status other than OK. */
    OPERATIONS_FAILED,
    /** Posts answered with BACK_PRESSURE. */
    BACK_PRESSURE_EVENTS,
    /** Messages that arrived before a receive matched them. */
    UNEXPECTED_MESSAGES,
    /** Calls of progress; on a worker and a context only. */
    PROGRESS_CALLS,
    /** Calls of progress that found nothing to do; on a worker and a context only. */
    PROGRESS_IDLE,
    /** Endpoints connected; on a worker and a context only. */
    ENDPOINTS_CONNECTED,
    /** Endpoints closed with a goodbye; on a worker and a context only. */
    ENDPOINTS_CLOSED,
    /** Endpoints that failed, handshakes included; on a worker and a context only. */
    ENDPOINTS_FAILED,
    /** Messages that are waiting for a receive now. */
    UNEXPECTED_NOW,
    /** Operations in flight now. */
    OPERATIONS_IN_FLIGHT,
    /** Nanoseconds between posts that were answered with BACK_PRESSURE and the next ones that were taken. */
    BACK_PRESSURE_NS,
    /** Payload bytes of the messages that are waiting for a receive now; on a worker and a context only. */
    UNEXPECTED_BYTES,
    /** Receives that are waiting for a message now, and those that a transport matches by itself until they end; on a worker and a context only. */
    RECEIVES_POSTED,
    /** The room in their buffers, in bytes; on a worker and a context only. */
    RECEIVES_POSTED_BYTES,
    /** Receives and messages that were looked at in search of a match; on a worker and a context only. */
    MATCH_ATTEMPTS,
    /** Bytes that were sent on credit and not matched yet, as far as peers have told; on a worker and a context only. */
    CREDITS_OUTSTANDING,
    /** What peers take on credit, in bytes over all endpoints that are connected; on a worker and a context only. */
    CREDITS_LIMIT,
    /**
     * The longest time between two calls of progress, waits left out, in nanoseconds: within the last one to two minutes, the one that
     * is running included; on a worker and a context (the greatest of its workers) only.
     */
    PROGRESS_GAP_NS,
    /**
     * How long ago progress was last called, in nanoseconds; 0 for a worker that waits; on a worker and a context (the greatest of its
     * workers) only.
     */
    PROGRESS_STALL_NS,
    /** Workers that are open now; on a context only. */
    WORKERS,
    /** Memory regions that are open now; on a context only. */
    REGIONS,
    /** Their length in bytes; on a context only. */
    REGION_BYTES,
    /** Connections that Node, publish-subscribe or another layer made again after it had lost them; on a context only. */
    RECONNECTS
}
