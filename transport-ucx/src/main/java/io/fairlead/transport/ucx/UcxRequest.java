package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import java.lang.foreign.Arena;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A UCX request from its call to its end, and whom that end concerns. Pooled by {@link UcxRequests}. */
final class UcxRequest {
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
        MESSAGE_OUT,
        /** A message of this transport's own on its way in. */
        MESSAGE_IN,
        /** The message by which UCX begins to connect. */
        WIRE_UP,
        /** The flush of a graceful close. */
        DRAIN,
        /** The flush that lets UCX finish connecting an endpoint which is closed already. */
        LINGER;

        /** Whether a graceful close waits for it. */
        boolean leaves() {
            return switch (this) {
                case POSTED, RECEIVE, WITHDRAWN, MESSAGE_IN, WIRE_UP, DRAIN, LINGER, FENCE_FLUSH -> false;
                case PLAIN, PUT_SIGNAL, FLUSH, SIGNAL_FLUSH, MESSAGE_OUT -> true;
            };
        }
    }

    /** A part of an endpoint that makes requests. */
    interface Owner {
        UcxEndpointState state();

        /** What the request was for is done, or has failed. */
        void ended(UcxRequest request);
    }

    /** Its number among the requests of the worker, which UCX hands back. */
    final int index;

    Kind kind = Kind.PLAIN;

    /** Null while the request is in the pool. */
    @Nullable Owner owner;

    @Nullable Operation operation;

    /** Where UCX has it; 0 if the call ended at once. */
    long address;
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
    @Nullable TransportMessage message;

    @Nullable UcxRequest next;

    UcxRequest(int index) {
        this.index = index;
    }

    /** Whether UCX has done what it was asked for. */
    boolean hasSucceeded() {
        return status == Ucp.OK;
    }

    /** Whether a receive has got a message. */
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

    /** The owner of a request that is under way. */
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
