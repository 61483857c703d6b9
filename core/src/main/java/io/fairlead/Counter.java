package io.fairlead;

/** What is counted, per endpoint and per worker (the sum over its endpoints, past ones included). */
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
    /** Calls of progress; on a worker only. */
    PROGRESS_CALLS,
    /** Calls of progress that found nothing to do; on a worker only. */
    PROGRESS_IDLE,
    /** Endpoints connected; on a worker only. */
    ENDPOINTS_CONNECTED,
    /** Endpoints closed with a goodbye; on a worker only. */
    ENDPOINTS_CLOSED,
    /** Endpoints that failed, handshakes included; on a worker only. */
    ENDPOINTS_FAILED,
    /** Messages that are waiting for a receive now. */
    UNEXPECTED_NOW,
    /** Operations in flight now. */
    OPERATIONS_IN_FLIGHT
}
