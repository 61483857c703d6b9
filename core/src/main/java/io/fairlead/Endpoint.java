package io.fairlead;

import com.google.errorprone.annotations.CheckReturnValue;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * One side of a connection between two workers. Implemented by Fairlead only.
 *
 * <p>Belongs to its worker's thread: what posts, unpacks keys or closes throws {@link WrongThreadException} on another, and what tells
 * a property is not checked; only {@link #counters()} is meant for any thread. {@link Worker} states the rules for buffers, results and exceptions of all posting calls. Operations
 * in flight when the endpoint ends complete exactly once: {@link Status#CLOSED} after a goodbye of either
 * side, {@link Status#PEER_FAILED} after a failure. Other endpoints are untouched.
 *
 * <p>Order: messages of one endpoint are matched in the order in which they were posted. Puts and atomics are ordered against each
 * other only by {@link #fence()} or a completed {@link #flush(Completion)}. Completions may run in any order.
 */
public interface Endpoint extends RemoteAccess, AutoCloseable {
    /** What a post answers when a limit is reached. Nothing was started; call {@link Worker#progress()} and post again. */
    long BACK_PRESSURE = -1;

    /** What a post answers while the endpoint is connecting: wait for {@link EndpointHandler#connected(Endpoint)} and post again. */
    long NOT_CONNECTED = -2;

    /** What a post answers after either side closed the endpoint: nothing was started. */
    long CLOSED = -3;

    /** What a post answers after the peer or its connection failed: {@link #failure()} has the cause; connect again. */
    long PEER_FAILED = -4;

    /** What a post answers where the owner closed the remote memory region: ask the owner for a new key. */
    long REVOKED = -5;

    /** What a post answers where the transport declares that it cannot do the operation. */
    long UNSUPPORTED = -8;

    /**
     * Sends a tagged message. Completes {@link Status#OK} when the buffer may be reused, which says nothing about the
     * receiver. Semantics: UCX {@code ucp_tag_send_nbx}.
     *
     * @param buffer native memory, unchanged until the completion
     * @param offset first byte of the message in the buffer
     * @param length bytes of the message, 0 and up, beyond 2 GiB where the buffer is
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @param completion told when the send has ended
     * @param userData a number of the caller's, handed back in {@link Request#userData()}
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
     * @param completion told when the send has ended
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}, with 0 for the number of the caller's
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
     * @param completion told when the send has ended
     * @param userData a number of the caller's
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}
     */
    @CheckReturnValue
    long sendGather(MemorySegment[] buffers, long tag, Completion completion, long userData);

    /**
     * Sends several buffers as one message.
     *
     * @param buffers native memory, at most 64, each sent whole
     * @param tag the tag
     * @param completion told when the send has ended
     * @return as {@link #sendGather(MemorySegment[], long, Completion, long)}, with 0 for the number of the caller's
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
     * @param completion told when the send has ended
     * @param userData a number of the caller's
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
     * @param completion told when the send has ended
     * @return as {@link #send(MemorySegment, long, long, long, Completion, long)}, with 0 for the number of the caller's
     */
    @CheckReturnValue
    default long sendSynchronous(MemorySegment message, long tag, Completion completion) {
        return sendSynchronous(message, 0, message.byteSize(), tag, completion, 0);
    }

    /**
     * Posts a receive for the next message with a matching tag from this endpoint alone. As
     * {@link Worker#receive(MemorySegment, long, long, long, long, Completion, long)} otherwise;
     * when the endpoint ends first it completes {@link Status#CLOSED} or {@link Status#PEER_FAILED}. Messages that had arrived whole can still be
     * received after the endpoint has ended.
     *
     * @param buffer native memory for the message
     * @param offset first byte of the buffer to use
     * @param length bytes of the buffer to use
     * @param tag the tag to compare with
     * @param tagMask which bits are compared: a set bit is compared
     * @param completion told when the receive has ended
     * @param userData a number of the caller's
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
     * @param completion told when the receive has ended
     * @return as {@link #receive(MemorySegment, long, long, long, long, Completion, long)}, with 0 for the number of the caller's
     */
    @CheckReturnValue
    default long receive(MemorySegment buffer, long tag, Completion completion) {
        return receive(buffer, 0, buffer.byteSize(), tag, Worker.FULL_TAG_MASK, completion, 0);
    }

    /**
     * Makes a remote memory region of the peer usable on this endpoint.
     *
     * @param packedKey what the peer's {@link MemoryRegion#packedKey()} gave, carried here in any way
     * @return the key, bound to this endpoint
     * @throws FairleadException {@code MALFORMED_KEY}, {@code STALE_KEY} if it is of another process or incarnation,
     *     {@code UNSUPPORTED} if the region is not registered with this endpoint's transport, {@code CLOSED} if not connected
     */
    RemoteKey unpack(byte[] packedKey);

    /**
     * The state of the endpoint. {@link EndpointState#CLOSED} and {@link EndpointState#FAILED} say that every operation of the
     * endpoint has completed and that its handler has been told, or is being told; until then an endpoint that ends is
     * {@link EndpointState#CLOSING}.
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
     * Why the endpoint failed. The cause is here when the first operation completes because of it, before the state is
     * {@link EndpointState#FAILED}.
     *
     * @return empty unless the endpoint has failed
     */
    Optional<FairleadException> failure();

    /**
     * The number of this endpoint, unique in its worker, which the peer puts on its messages to it.
     *
     * @return 1 to 65535; reused long after the endpoint has ended
     */
    int id();

    /**
     * The name that the peer gave itself ({@code node.name}).
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
     * Who the peer has proved to be, by its certificate or a shared secret.
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
     * What this endpoint has counted. Readable from any thread.
     *
     * @return a live view
     */
    Counters counters();

    /**
     * Closes with a goodbye: sends what is queued, waits for operations in flight at most {@code close.timeout}, tells the peer,
     * completes what is left {@link Status#CLOSED}, and runs those completions before it returns. Idempotent. Inside a
     * completion or handler it starts the close, which later progress finishes. The thread serves nothing else while it waits, so that with a peer whose worker
     * is of the same thread the call may take all of {@code close.timeout}: call {@link #startClose()} there.
     *
     * <p>Data may still be on its way to the peer then. The worker keeps the connection until the peer has closed its side, at most
     * another {@code close.timeout}, and discards what the peer sends meanwhile; {@link Worker#close()} waits for that.
     */
    @Override
    void close();

    /**
     * Starts to close as {@link #close()} does, and returns: later progress finishes it, and the handler is told. It is for threads that
     * serve other endpoints too.
     */
    void startClose();

    /**
     * Closes at once, without a goodbye: the peer sees the endpoint fail. Inside a completion, handler or task the endpoint is closing
     * when this returns, and its operations and its handler are told when that one has returned. As {@link #close()} otherwise.
     */
    void abort();
}
