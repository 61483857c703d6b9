package io.fairlead;

import com.google.errorprone.annotations.CheckReturnValue;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * One side of a connection between two workers. Implemented by Fairlead only.
 *
 * <p>Belongs to its worker's thread. Calls that post, unpack keys or close throw {@link WrongThreadException} on
 * another thread. Accessors do not check the thread; only {@link #counters()} is meant for any thread. {@link Worker}
 * states the rules for buffers, results and exceptions of all posting calls.
 *
 * <p>Operations in flight when the endpoint ends complete exactly once: {@link Status#CLOSED} after a graceful close of
 * either side, {@link Status#PEER_FAILED} after a failure. Other endpoints are not affected.
 *
 * <p>Order: messages of one endpoint are matched in the order in which they were posted, and its active messages are
 * handled in that order. Only {@link #fence()} or a
 * completed {@link #flush(Completion)} orders puts and atomics against each other. Completions may run in any order.
 */
public interface Endpoint extends RemoteAccess, AutoCloseable {
    /**
     * Returned by a post when a limit is reached. Nothing was started; call {@link Worker#progress()} and post again.
     */
    long BACK_PRESSURE = -1;

    /**
     * Returned by a post while the endpoint is connecting: wait for {@link EndpointHandler#connected(Endpoint)} and
     * post again.
     */
    long NOT_CONNECTED = -2;

    /** Returned by a post after either side closed the endpoint: nothing was started. */
    long CLOSED = -3;

    /** Returned by a post after the peer or its connection failed: {@link #failure()} has the cause; connect again. */
    long PEER_FAILED = -4;

    /** Returned by a post after the owner closed the remote memory region: ask the owner for a new key. */
    long REVOKED = -5;

    /** Returned by a post if the transport does not support the operation. */
    long UNSUPPORTED = -8;

    /**
     * Sends a tagged message. Completes {@link Status#OK} when the buffer may be reused, which says nothing about the
     * receiver. Semantics: UCX {@code ucp_tag_send_nbx}.
     *
     * @param buffer native memory, unchanged until the completion
     * @param offset first byte of the message in the buffer
     * @param length bytes of the message, 0 and up, beyond 2 GiB where the buffer is
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @param completion called when the send has ended
     * @param userData a number of the caller, returned by {@link Request#userData()}
     * @return a request id, or {@link #BACK_PRESSURE} (no credits of the receiver, or a queue is full), {@link #NOT_CONNECTED},
     *     {@link #CLOSED}, {@link #PEER_FAILED}
     */
    @CheckReturnValue
    long send(MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData);

    /**
     * Sends a whole segment as a tagged message.
     *
     * @param message native memory, unchanged until the completion
     * @param tag the tag
     * @param completion called when the send has ended
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}, whose {@code userData} is 0 here
     */
    @CheckReturnValue
    default long send(MemorySegment message, long tag, Completion completion) {
        return send(message, 0, message.byteSize(), tag, completion, 0);
    }

    /**
     * Sends several buffers as one message, in their order. As {@link #send(MemorySegment, long, Completion)} otherwise. The
     * array must not change until the completion.
     *
     * @param buffers native memory, at most 64, each sent whole
     * @param tag the tag
     * @param completion called when the send has ended
     * @param userData a number of the caller
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}
     */
    @CheckReturnValue
    long sendGather(MemorySegment[] buffers, long tag, Completion completion, long userData);

    /**
     * Sends several buffers as one message.
     *
     * @param buffers native memory, at most 64, each sent whole
     * @param tag the tag
     * @param completion called when the send has ended
     * @return as {@link #sendGather(MemorySegment[], long, Completion, long)}, whose {@code userData} is 0 here
     */
    @CheckReturnValue
    default long sendGather(MemorySegment[] buffers, long tag, Completion completion) {
        return sendGather(buffers, tag, completion, 0);
    }

    /**
     * Sends a tagged message and completes when the receiver has matched it. Semantics: UCX {@code ucp_tag_send_sync_nbx}.
     *
     * @param buffer native memory, unchanged until the completion
     * @param offset first byte of the message in the buffer
     * @param length bytes of the message
     * @param tag the tag
     * @param completion called when the send has ended
     * @param userData a number of the caller
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}
     */
    @CheckReturnValue
    long sendSynchronous(
            MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData);

    /**
     * Sends a whole segment as a tagged message and completes when the receiver has matched it.
     *
     * @param message native memory, unchanged until the completion
     * @param tag the tag
     * @param completion called when the send has ended
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}, whose {@code userData} is 0 here
     */
    @CheckReturnValue
    default long sendSynchronous(MemorySegment message, long tag, Completion completion) {
        return sendSynchronous(message, 0, message.byteSize(), tag, completion, 0);
    }

    /**
     * Sends an active message: the peer's worker calls the handler that is registered for the number, with the header and
     * the payload. Completes as {@link #send(MemorySegment, long, Completion)} does, which says nothing about the handler. A
     * payload beyond the eager limit stays here until the handler's side receives or discards it. If the peer has no
     * handler for the number, it drops the message and counts it in
     * {@link io.fairlead.statistics.Counter#MESSAGES_UNHANDLED}; the send completes all the same.
     *
     * <p>Active messages of one endpoint are handled in the order in which they were posted. Nothing is promised between
     * active and tagged messages. Semantics: UCX {@code ucp_am_send_nbx}.
     *
     * @param handler the handler number, 0 to {@link ActiveMessage#HANDLER_MAX}; layers use the
     *     greater ones up to 255
     * @param header native memory, sent whole and unchanged until the completion; at most
     *     {@link ActiveMessage#HEADER_MAX} bytes
     * @param buffer native memory with the payload, unchanged until the completion
     * @param offset first byte of the payload in the buffer
     * @param length bytes of the payload, 0 and up
     * @param completion called when the send has ended
     * @param userData a number of the caller, returned by {@link Request#userData()}
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}
     */
    @Incubating
    @CheckReturnValue
    long sendActive(
            int handler,
            MemorySegment header,
            MemorySegment buffer,
            long offset,
            long length,
            Completion completion,
            long userData);

    /**
     * Sends a whole segment as the payload of an active message.
     *
     * @param handler the handler number
     * @param header native memory, sent whole and unchanged until the completion
     * @param payload native memory, unchanged until the completion
     * @param completion called when the send has ended
     * @return as {@link #sendActive(int, MemorySegment, MemorySegment, long, long, Completion, long)}, whose
     *     {@code userData} is 0 here
     */
    @Incubating
    @CheckReturnValue
    default long sendActive(int handler, MemorySegment header, MemorySegment payload, Completion completion) {
        return sendActive(handler, header, payload, 0, payload.byteSize(), completion, 0);
    }

    /**
     * Sends several buffers as the payload of one active message, in their order. The array must not change until the
     * completion.
     *
     * @param handler the handler number
     * @param header native memory, sent whole and unchanged until the completion
     * @param payload native memory, at most 64 buffers, each sent whole
     * @param completion called when the send has ended
     * @param userData a number of the caller
     * @return as {@link #sendActive(int, MemorySegment, MemorySegment, long, long, Completion, long)}
     */
    @Incubating
    @CheckReturnValue
    long sendActiveGather(
            int handler, MemorySegment header, MemorySegment[] payload, Completion completion, long userData);

    /**
     * Posts a receive for the next message with a matching tag from this endpoint alone. As
     * {@link Worker#receive(MemorySegment, long, long, long, long, Completion, long)} otherwise. If the endpoint ends
     * first, it completes {@link Status#CLOSED} or {@link Status#PEER_FAILED}. Messages that have arrived completely
     * can still be received after the endpoint has ended.
     *
     * @param buffer native memory for the message
     * @param offset first byte of the buffer to use
     * @param length bytes of the buffer to use
     * @param tag the tag to compare with
     * @param tagMask which bits are compared: a set bit is compared
     * @param completion called when the receive has ended
     * @param userData a number of the caller
     * @return a request id, or {@link #BACK_PRESSURE}, {@link #NOT_CONNECTED}, {@link #CLOSED}, {@link #PEER_FAILED}
     */
    @CheckReturnValue
    long receive(
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            long tagMask,
            Completion completion,
            long userData);

    /**
     * Posts a receive for the next message of this endpoint with exactly a tag.
     *
     * @param buffer native memory for the message, used whole
     * @param tag the tag, compared in full
     * @param completion called when the receive has ended
     * @return as {@link #receive(MemorySegment, long, long, long, long, Completion, long)}, whose {@code userData} is 0
     *     here
     */
    @CheckReturnValue
    default long receive(MemorySegment buffer, long tag, Completion completion) {
        return receive(buffer, 0, buffer.byteSize(), tag, Worker.FULL_TAG_MASK, completion, 0);
    }

    /**
     * Makes a remote memory region of the peer usable on this endpoint.
     *
     * @param packedKey the bytes of the peer's {@link MemoryRegion#packedKey()}, transferred in any way
     * @return the key, bound to this endpoint
     * @throws FairleadException {@code MALFORMED_KEY}, {@code STALE_KEY} if it is of another process or incarnation,
     *     {@code UNSUPPORTED} if the region is not registered with this endpoint's transport, {@code CLOSED} if not connected
     */
    RemoteKey unpack(byte[] packedKey);

    /**
     * The state of the endpoint. {@link EndpointState#CLOSED} and {@link EndpointState#FAILED} mean that every
     * operation of the endpoint has completed, and that its handler has been called or is being called. Until then an
     * endpoint that ends is {@link EndpointState#CLOSING}.
     *
     * @return the state as of the last progress
     */
    EndpointState state();

    /**
     * The path that the data takes, and its reason.
     *
     * @return empty while connecting, and for an endpoint that never connected
     */
    Optional<Path> path();

    /**
     * Why the endpoint failed. It is set before the first operation completes because of the failure, thus before the
     * state is {@link EndpointState#FAILED}.
     *
     * @return empty unless the endpoint has failed
     */
    Optional<FairleadException> failure();

    /**
     * The number of this endpoint, unique in its worker. The peer puts it on the messages that it sends here.
     *
     * @return 1 to 65535; reused long after the endpoint has ended
     */
    int id();

    /**
     * The name that the peer has configured ({@code node.name}).
     *
     * @return empty text while connecting
     */
    String peerName();

    /**
     * The identity of the peer's context; a restarted process has another one.
     *
     * @return a random number; 0 while connecting
     */
    long peerIncarnation();

    /**
     * The peer's address on the control channel.
     *
     * @return the address as connected to, or as accepted
     */
    InetSocketAddress remoteAddress();

    /**
     * This side's address on the control channel.
     *
     * @return empty while connecting, and for an endpoint that never connected
     */
    Optional<InetSocketAddress> localAddress();

    /**
     * The authenticated identity of the peer, by its certificate or a shared secret.
     *
     * @return {@link PeerIdentity#ANONYMOUS} where {@code security.mode} is off, and while connecting
     */
    PeerIdentity peerIdentity();

    /**
     * The worker that owns this endpoint.
     *
     * @return never changes
     */
    Worker worker();

    /**
     * The counters of this endpoint. Readable from any thread.
     *
     * @return a live view
     */
    Counters counters();

    /**
     * Closes gracefully: sends what is queued, waits up to {@code close.timeout} for operations in flight, and
     * disconnects from the peer. The remaining operations complete {@link Status#CLOSED}, before this returns.
     * Idempotent. Inside a completion or handler it starts the close, and later progress finishes it.
     *
     * <p>The thread serves no other endpoint while it waits. With a peer whose worker belongs to the same thread the
     * call may take all of {@code close.timeout}: call {@link #startClose()} there.
     *
     * <p>Data may still be in flight to the peer when this returns. The worker keeps the connection until the peer has
     * closed its side, for at most another {@code close.timeout}. It discards what the peer sends meanwhile.
     * {@link Worker#close()} waits for that.
     */
    @Override
    void close();

    /**
     * Starts to close as {@link #close()} does, and returns. Later progress finishes the close and calls the handler.
     * For threads that serve other endpoints too.
     */
    void startClose();

    /**
     * Closes at once, without a graceful disconnect: the peer's endpoint fails. Inside a completion, handler or task
     * the endpoint is closing when this returns; its operations complete and its handler is called after that call-back
     * has returned. As {@link #close()} otherwise.
     */
    void abort();
}
