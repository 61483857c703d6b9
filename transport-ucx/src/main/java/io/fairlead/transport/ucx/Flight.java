package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** A UCX request from its call to its end, and what is to be done then. Pooled by {@link Flights}. */
final class Flight {
    /** What the request is for. */
    enum Kind {
        /** A send, put or get: its operation ends with it. */
        PLAIN,
        /** A put whose operation ends with its signal. */
        PUT_SIGNAL,
        /** A receive that UCX matches. */
        POSTED,
        /** A message that the core has matched, on its way into a receive. */
        RECEIVE,
        /** A receive that was taken back. */
        WITHDRAWN,
        /** A flush of the application's. */
        FLUSH,
        /** The flush of a fence that something waits behind which is asked of the peer. */
        FENCE_FLUSH,
        /** The flush between a put and its signal. */
        SIGNAL_FLUSH,
        /** A message of this transport's own on its way out. */
        NOTE_OUT,
        /** A message of this transport's own on its way in. */
        NOTE_IN,
        /** The first message of this transport's own. */
        HELLO,
        /** The flush of a graceful close. */
        DRAIN,
        /** The flush that lets UCX finish connecting an endpoint which is closed already. */
        LINGER;

        /** Whether a graceful close waits for it. */
        boolean leaves() {
            return switch (this) {
                case POSTED, RECEIVE, WITHDRAWN, NOTE_IN, HELLO, DRAIN, LINGER, FENCE_FLUSH -> false;
                case PLAIN, PUT_SIGNAL, FLUSH, SIGNAL_FLUSH, NOTE_OUT -> true;
            };
        }
    }

    /** Its number among the flights of the worker, which UCX hands back. */
    final int index;

    Kind kind = Kind.PLAIN;

    @Nullable Operation operation;

    @Nullable UcxEndpoint endpoint;
    /** The address of UCX's request; 0 if the call ended at once. */
    long request;
    /** UCX has ended the request; {@link #status} says how. */
    boolean landed;

    byte status;
    /** Bytes that the call was about. */
    long length;
    /** Of a receive: UCX's tag and length of the message. */
    long arrivedTag;

    long arrivedLength;
    /** Of a flush: the turn of the signal behind it, or what RDMA had done before it. */
    long turn;
    /** Of a gather list, until UCX is done with it. */
    @Nullable Arena arena;
    /** Of a message of this transport's own. */
    @Nullable Note note;

    @Nullable Flight next;

    Flight(int index) {
        this.index = index;
    }

    void clear() {
        operation = null;
        endpoint = null;
        request = 0;
        landed = false;
        note = null;
        next = null;
        if (arena != null) {
            arena.close();
            arena = null;
        }
    }
}
