package io.fairlead.node;

/** What a node counts of its requests, of all peers. {@link RequestStatistics} reads it. */
public enum RequestCounter {
    /** Requests of this side that were handed to a transport. */
    SENT,
    /** Requests of this side that were answered with a reply. */
    SUCCEEDED,
    /** Requests of this side that have failed in any way, including requests that were never sent. */
    FAILED,
    /** Requests of this side without an answer now, including those whose caller has given up. */
    OUTSTANDING_NOW,
    /** Replies that came after their request had ended, and were dropped. */
    LATE_REPLIES,
    /** Requests of peers that have arrived. */
    RECEIVED,
    /** Requests of peers that a handler has replied to. */
    REPLIED,
    /** Requests of peers that were refused before a handler saw them. */
    REFUSED,
    /** Answers of handlers to requests that had ended, and that were dropped. */
    ANSWERS_DROPPED,
    /** Requests of peers that are not answered now. */
    SERVED_NOW
}
