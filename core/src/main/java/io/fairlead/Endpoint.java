package io.fairlead;

import io.fairlead.spi.AtomicOperation;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * One side of a connection between two workers. Implemented by Fairlead only.
 *
 * <p>Belongs to its worker's thread, like the rules for buffers, results and exceptions that {@link Worker} states for all posting
 * calls. Operations in flight when the endpoint ends complete exactly once: {@link Status#CLOSED} after a goodbye of either
 * side, {@link Status#PEER_FAILED} after a failure. Other endpoints are untouched.
 *
 * <p>Order: messages of one endpoint are matched in the order in which they were posted. Puts and atomics are ordered against each
 * other only by {@link #fence()} or a completed {@link #flush}. Completions may run in any order.
 */
public interface Endpoint extends AutoCloseable {
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
     * @return a request id, or {@code BACK_PRESSURE} (no credits of the receiver, or a queue is full), {@code NOT_CONNECTED},
     *     {@code CLOSED}, {@code PEER_FAILED}
     */
    long send(MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData);

    /**
     * Sends several buffers as one message, in their order. As {@link #send} otherwise. The array must not change until the
     * completion.
     *
     * @param buffers native memory, at most 64, each sent whole
     * @param tag the tag
     * @param completion told when the send has ended
     * @param userData a number of the caller's
     * @return as {@link #send}
     */
    long sendGather(MemorySegment[] buffers, long tag, Completion completion, long userData);

    /**
     * Sends a tagged message and completes when the receiver has matched it. Semantics: UCX {@code ucp_tag_send_sync_nbx}.
     *
     * @param buffer native memory, unchanged until the completion
     * @param offset first byte of the message in the buffer
     * @param length bytes of the message
     * @param tag the tag
     * @param completion told when the send has ended
     * @param userData a number of the caller's
     * @return as {@link #send}
     */
    long sendSynchronous(
            MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData);

    /**
     * Posts a receive for the next message with a matching tag from this endpoint alone. As {@link Worker#receive} otherwise;
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
     * @return a request id, or {@code BACK_PRESSURE}, {@code NOT_CONNECTED}, {@code CLOSED}, {@code PEER_FAILED}
     */
    long receive(
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            long tagMask,
            Completion completion,
            long userData);

    /**
     * Writes to remote memory. Completes when the source may be reused; the data is at the target only when a later
     * {@link #flush} has completed. A put that the target refuses is told by that flush. Semantics: UCX {@code ucp_put_nbx}.
     *
     * @param source native memory, unchanged until the completion
     * @param sourceOffset first byte to write in the source
     * @param length bytes to write, 0 and up
     * @param key a key of this endpoint with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @param completion told when the source may be reused
     * @param userData a number of the caller's
     * @return a request id, or {@code BACK_PRESSURE}, {@code NOT_CONNECTED}, {@code CLOSED}, {@code PEER_FAILED},
     *     {@code REVOKED}, {@code UNSUPPORTED}
     * @throws IndexOutOfBoundsException if the range leaves the source or the remote region
     * @throws IllegalArgumentException if the key is not of this endpoint or lacks the right
     */
    long put(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData);

    /**
     * Writes to remote memory as {@link #put} does, and then delivers a value to the target's
     * {@link EndpointHandler#signalled}, once the data is visible there. If the target refuses the data the value is not delivered.
     *
     * @param source native memory, unchanged until the completion
     * @param sourceOffset first byte to write in the source
     * @param length bytes to write, 0 and up
     * @param key a key of this endpoint with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @param signal the value to deliver
     * @param completion told when the source may be reused
     * @param userData a number of the caller's
     * @return as {@link #put}
     */
    long putSignal(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            long signal,
            Completion completion,
            long userData);

    /**
     * Reads from remote memory. Completes when the data is in the buffer. Sees every put of this endpoint that a completed flush or
     * a fence put before it. Semantics: UCX {@code ucp_get_nbx}.
     *
     * @param target native memory, owned by the worker until the completion
     * @param targetOffset first byte of the buffer to fill
     * @param length bytes to read, 0 and up
     * @param key a key of this endpoint with {@link AccessRight#READ}
     * @param sourceOffset first byte to read in the remote region
     * @param completion told when the data is here
     * @param userData a number of the caller's
     * @return as {@link #put}
     * @throws IndexOutOfBoundsException if the range leaves the buffer or the remote region
     * @throws IllegalArgumentException if the key is not of this endpoint or lacks the right
     */
    long get(
            MemorySegment target,
            long targetOffset,
            long length,
            RemoteKey key,
            long sourceOffset,
            Completion completion,
            long userData);

    /**
     * Changes an aligned 64-bit word of remote memory atomically and completes with the value that was there before
     * ({@link Request#value()}). Atomic against all atomics that reach the region over the same transport.
     *
     * @param operation what to do
     * @param operand the operation's operand
     * @param compare the expected value for {@link AtomicOperation#COMPARE_SWAP}, ignored by the others
     * @param key a key of this endpoint with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @param completion told when the old value is here
     * @param userData a number of the caller's
     * @return as {@link #put}
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this endpoint or lacks the right
     */
    long atomic(
            AtomicOperation operation,
            long operand,
            long compare,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData);

    /**
     * Completes when every put, get and atomic posted on this endpoint before it is complete and visible at the target:
     * {@link Status#OK}, or {@link Status#REVOKED} if the target refused a put since the last flush. Says nothing about sends. It is a
     * full fence: what is got behind its completion is read after what was put before it is visible to all, so that of two initiators that each put, flush
     * and get what the other puts at least one sees the other. Semantics: UCX {@code ucp_ep_flush_nbx}.
     *
     * @param completion told when all is visible
     * @param userData a number of the caller's
     * @return a request id, or {@code BACK_PRESSURE}, {@code NOT_CONNECTED}, {@code CLOSED}, {@code PEER_FAILED}
     */
    long flush(Completion completion, long userData);

    /**
     * Orders: every put, get and atomic posted after it takes effect at the target after those posted before it. Completes nothing.
     * It is a release and an acquire, and no full fence: where others look on, a get of one word may still be read before a put to another before the
     * fence is visible to them; {@link #flush} rules that out.
     * Semantics: UCX {@code ucp_worker_fence}.
     *
     * @return 0, or {@code NOT_CONNECTED}, {@code CLOSED}, {@code PEER_FAILED}
     */
    long fence();

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
     * Where the endpoint is in its life. {@link EndpointState#CLOSED} and {@link EndpointState#FAILED} say that every operation of the
     * endpoint has completed and that its handler has been told, or is being told; until then an endpoint that ends is
     * {@link EndpointState#CLOSING}.
     *
     * @return the state as of the last progress
     */
    EndpointState state();

    /**
     * The way that data takes, and why.
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
     * The number that tells this endpoint from the others of its worker, and that the peer puts on its messages to it.
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
     * completion or handler it starts the close, which later progress finishes.
     *
     * <p>What was sent may still wait for the peer then. The worker keeps the connection until the peer has hung up, at most another
     * {@code close.timeout}, and throws away what the peer says meanwhile; {@link Worker#close()} waits for that.
     */
    @Override
    void close();

    /**
     * Starts what {@link #close()} does and returns: later progress finishes it, and the handler is told. For threads that have
     * other endpoints to look after.
     */
    void startClose();

    /** Closes at once, without a goodbye: the peer sees the endpoint fail. As {@link #close()} otherwise. */
    void abort();
}
