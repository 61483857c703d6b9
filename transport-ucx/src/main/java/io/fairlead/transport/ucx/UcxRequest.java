package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import java.lang.foreign.Arena;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A UCX request from its call to its end, with its owner. Pooled by {@link UcxRequests}. */
final class UcxRequest {
    /** The purpose of the request. */
    enum Kind {
        /** A send, put or get: its operation ends with it. */
        PLAIN,
        /** A put whose operation ends with its signal. */
        PUT_SIGNAL,
        /** A message that the core has matched, being received into its buffer. */
        RECEIVE,
        /** A flush of the application. */
        FLUSH,
        /** The flush of a fence that a request to the peer waits for. */
        FENCE_FLUSH,
        /** The flush between a put and its signal. */
        SIGNAL_FLUSH,
        /** An outgoing message of this transport. */
        MESSAGE_OUT,
        /** A batch of short messages. */
        BATCH,
        /** An incoming message of this transport. */
        MESSAGE_IN,
        /** The message by which UCX begins to connect. */
        WIRE_UP,
        /** The payload of one of the {@link LongMessages}, sent and received. */
        LONG_OUT,
        LONG_IN,
        /** The flush of a graceful close. */
        DRAIN,
        /** The flush that lets UCX finish connecting an endpoint that is closed already. */
        LINGER;

        /** Whether a graceful close waits for it. */
        boolean leaves() {
            return switch (this) {
                case RECEIVE, LONG_IN, MESSAGE_IN, WIRE_UP, DRAIN, LINGER, FENCE_FLUSH -> false;
                case PLAIN, PUT_SIGNAL, FLUSH, SIGNAL_FLUSH, MESSAGE_OUT, BATCH, LONG_OUT -> true;
            };
        }
    }

    /** A part of an endpoint that creates requests. */
    interface Owner {
        UcxEndpointState state();

        /** The request has succeeded or failed. */
        void ended(UcxRequest request);
    }

    /** Its index among the requests of the worker, which UCX returns. */
    final int index;

    Kind kind = Kind.PLAIN;

    /** Null while the request is in the pool. */
    @Nullable Owner owner;

    @Nullable Operation operation;

    /** UCX's address of it; 0 if the call ended at once. */
    long address;
    /** UCX has ended the request; {@link #status} has the result. */
    boolean landed;

    byte status;
    /** Bytes of the call. */
    long length;
    /**
     * For a flush: the turn of the following signal, or the position of the preceding one-sided operations. For a
     * probe: the key. For a long message: its number.
     */
    long turn;
    /** For a gather list, until UCX no longer needs it. */
    @Nullable Arena arena;
    /** For a message of this transport. */
    @Nullable TransportMessage message;

    @Nullable UcxRequest next;

    UcxRequest(int index) {
        this.index = index;
    }

    /** Whether the request has succeeded. */
    boolean hasSucceeded() {
        return status == Ucp.OK;
    }

    /** Whether a receive has received a message. */
    boolean hasReceived() {
        return status == Ucp.OK || status == Ucp.MESSAGE_TRUNCATED;
    }

    /** The operation of a request that has one. */
    Operation operation() {
        return Objects.requireNonNull(operation, "operation");
    }

    /** The message of a request that has one. */
    TransportMessage message() {
        return Objects.requireNonNull(message, "message");
    }

    /** The owner of a request in progress. */
    Owner owner() {
        return Objects.requireNonNull(owner, "owner");
    }

    void clear() {
        operation = null;
        owner = null;
        address = 0;
        landed = false;
        message = null;
        next = null;
        if (arena != null) {
            arena.close();
            arena = null;
        }
    }
}
