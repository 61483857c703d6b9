package io.fairlead.node;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.Path;
import io.fairlead.PeerIdentity;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A node's side of a connection. Implemented by Fairlead only. Thread-safe; {@link Node} states the rules for futures, buffers,
 * callbacks and back-pressure.
 *
 * <p>Order: sends and remote-memory operations that one thread calls on one peer are posted in the order of the calls, and so are its receives.
 * Receives and sends do not wait for each other. When the connection ends, every operation that was called before fails once: with
 * {@link Status#CLOSED} after a graceful close by either side, and with {@link Status#PEER_FAILED} after a failure.
 *
 * <p>With a {@link ReconnectPolicy} a lost connection is made again. Operations called meanwhile wait for it ({@link BackPressure#WAIT}) or fail
 * with {@link Status#NOT_CONNECTED}. Keys of the old connection are refused.
 */
public interface Peer extends AutoCloseable {
    /**
     * Sends a tagged message. The future completes when the buffer may be reused, which says nothing about the receiver. Semantics:
     * {@link Endpoint#send}.
     *
     * @param message the whole segment is the message
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return done when the memory may be reused
     */
    CompletableFuture<Void> send(MemorySegment message, long tag);

    /**
     * Sends a copy of these bytes as a tagged message.
     *
     * @param message the message; may be changed when the call returns
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return done when the message has been handed to the transport
     */
    default CompletableFuture<Void> send(byte[] message, long tag) {
        return send(MemorySegment.ofArray(message), tag);
    }

    /**
     * Sends a tagged message. The future completes when the receiver has matched it. Semantics: {@link Endpoint#sendSynchronous}.
     *
     * @param message the whole segment is the message
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return done when a receive of the peer has matched the message
     */
    CompletableFuture<Void> sendSynchronous(MemorySegment message, long tag);

    /**
     * Sends a request to the peer's service with this tag. The deadline is sent as the remaining time, so clocks need not agree.
     *
     * <p>While the connection is being made again the request fails at once with {@link RequestStatus#UNAVAILABLE}, safe to send again;
     * {@link RequestOptions#waitingForConnection()} has it wait.
     *
     * <p>The future completes with the reply, of at most {@code node.message-max} bytes, or fails with a {@link RequestException}, which has the status, a
     * text, and whether the request is safe to send again. When the connection ends every request fails once. Cancelling the future, or a
     * time-out on it, cancels the request at the peer, and the reply is dropped. At most {@code node.requests-max} requests of a peer are in
     * flight; {@code node.back-pressure} sets what a further call does. If it finds no capacity it fails with
     * {@link RequestStatus#RESOURCE_EXHAUSTED}. Requests are not ordered with other
     * operations, nor their handlers with each other.
     *
     * @param message the whole segment is the request, of 0 bytes and up; copied before the call returns. Use
     *     {@link #request(MemorySegment, long, Duration, Runnable)} to send long native memory without a copy
     * @param tag the service's tag, 0 to {@link Worker#TAG_MAX}; other than the tags of messages
     * @param deadline the time from now, up to a day. One of zero or less fails with {@link RequestStatus#DEADLINE_EXCEEDED} and sends nothing
     * @return the reply
     */
    CompletableFuture<Message> request(MemorySegment message, long tag, Duration deadline);

    /**
     * Sends a request from memory that belongs to the node until {@code reusable} runs. As {@link #request(MemorySegment, long, Duration)}
     * otherwise. Native memory of more than 8,192 bytes that any
     * thread may access is sent in place. The future may complete before that memory is free, at the deadline or by a cancel: wait for {@code reusable} before the
     * memory is changed or closed.
     *
     * @param message the whole segment is the request
     * @param tag the service's tag
     * @param deadline the time from now, up to a day
     * @param reusable run once when the node does not read the memory any more: before the call returns where the memory was copied, else where the node's futures
     *     complete. It does not run if the call throws. What it throws is logged
     * @return the reply
     */
    CompletableFuture<Message> request(MemorySegment message, long tag, Duration deadline, Runnable reusable);

    /**
     * Sends a request with a copy of these bytes. As {@link #request(MemorySegment, long, Duration)} otherwise.
     *
     * @param message the request; may be changed when the call returns
     * @param tag the service's tag
     * @param deadline the time from now
     * @return the reply
     */
    default CompletableFuture<Message> request(byte[] message, long tag, Duration deadline) {
        return request(MemorySegment.ofArray(message), tag, deadline);
    }

    /**
     * Sends a request with options. As {@link #request(MemorySegment, long, Duration)} otherwise.
     *
     * @param message the whole segment is the request
     * @param tag the service's tag
     * @param options its deadline, headers, and whether it waits for a connection
     * @return the reply
     */
    CompletableFuture<Message> request(MemorySegment message, long tag, RequestOptions options);

    /**
     * Sends a request with options and a copy of these bytes. As {@link #request(MemorySegment, long, Duration)} otherwise.
     *
     * @param message the request; may be changed when the call returns
     * @param tag the service's tag
     * @param options its deadline, headers, and whether it waits for a connection
     * @return the reply
     */
    default CompletableFuture<Message> request(byte[] message, long tag, RequestOptions options) {
        return request(MemorySegment.ofArray(message), tag, options);
    }

    /**
     * Receives the next message with this tag from this peer, of at most {@code node.message-max} bytes.
     *
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return the message
     */
    CompletableFuture<Message> receive(long tag);

    /**
     * Receives the next message with a matching tag from this peer. As {@link Node#receive(long, long, long)} otherwise; a message
     * that had arrived whole can be received after the connection has ended.
     *
     * @param tag the tag to compare with
     * @param tagMask which bits are compared: a set bit is compared, 0 matches every tag
     * @param maxLength the longest message to take, in bytes
     * @return the message
     */
    CompletableFuture<Message> receive(long tag, long tagMask, long maxLength);

    /**
     * Receives the next message with a matching tag from this peer into memory of the caller's. As {@link Node#receiveInto} otherwise.
     *
     * @param buffer where to put it
     * @param tag the tag to compare with
     * @param tagMask which bits are compared
     * @return the message, whose segment is the part of the buffer that it fills
     */
    CompletableFuture<Message> receiveInto(MemorySegment buffer, long tag, long tagMask);

    /**
     * Makes a remote memory region of the peer usable.
     *
     * @param packedKey what the peer's {@link MemoryRegion#packedKey()} gave, carried here in any way
     * @return the key, bound to the present connection; fails as {@link Endpoint#unpack} does
     */
    CompletableFuture<PeerKey> unpack(byte[] packedKey);

    /**
     * Packs the key of a region of this node for this peer alone, on the present connection. As {@link MemoryRegion#packedKey(Endpoint)}.
     *
     * @param region a region of this node
     * @return the key as bytes, to be carried to the peer; fails with {@code REFUSED} if the peer may do nothing to the region
     */
    CompletableFuture<byte[]> packedKey(MemoryRegion region);

    /**
     * Writes to remote memory. The data is at the target only when a later {@link #flush()} is done. Semantics: {@link Endpoint#put}.
     *
     * @param source the whole segment is written
     * @param key a key of this peer with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @return done when the source may be reused
     * @throws IndexOutOfBoundsException if the range leaves the remote region
     * @throws IllegalArgumentException if the key is not of this peer or lacks the right
     */
    CompletableFuture<Void> put(MemorySegment source, PeerKey key, long targetOffset);

    /**
     * Writes to remote memory as {@link #put} does, and then delivers a value to the peer's {@link #onSignal}. Semantics:
     * {@link Endpoint#putSignal}.
     *
     * @param source the whole segment is written
     * @param signal the value
     * @param key a key of this peer with {@link AccessRight#WRITE}
     * @param targetOffset first byte to write in the remote region
     * @return done when the source may be reused
     * @throws IndexOutOfBoundsException if the range leaves the remote region
     * @throws IllegalArgumentException if the key is not of this peer or lacks the right
     */
    CompletableFuture<Void> putSignal(MemorySegment source, long signal, PeerKey key, long targetOffset);

    /**
     * Reads from remote memory. Semantics: {@link Endpoint#get}.
     *
     * @param target the whole segment is filled
     * @param key a key of this peer with {@link AccessRight#READ}
     * @param sourceOffset first byte to read in the remote region
     * @return done when the data is here
     * @throws IndexOutOfBoundsException if the range leaves the remote region
     * @throws IllegalArgumentException if the key is not of this peer or lacks the right
     */
    CompletableFuture<Void> get(MemorySegment target, PeerKey key, long sourceOffset);

    /**
     * Adds to an aligned 64-bit word of remote memory atomically, wrapping. Semantics: {@link Endpoint#fetchAdd}.
     *
     * @param addend what to add
     * @param key a key of this peer with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @return the value that was there before
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this peer or lacks the right
     */
    CompletableFuture<Long> fetchAdd(long addend, PeerKey key, long targetOffset);

    /**
     * Replaces an aligned 64-bit word by its bitwise <i>and</i> with some bits. Semantics: {@link Endpoint#fetchAnd}.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this peer with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @return the value that was there before
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this peer or lacks the right
     */
    CompletableFuture<Long> fetchAnd(long bits, PeerKey key, long targetOffset);

    /**
     * Replaces an aligned 64-bit word by its bitwise <i>or</i> with some bits. Semantics: {@link Endpoint#fetchOr}.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this peer with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @return the value that was there before
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this peer or lacks the right
     */
    CompletableFuture<Long> fetchOr(long bits, PeerKey key, long targetOffset);

    /**
     * Replaces an aligned 64-bit word by its bitwise <i>exclusive or</i> with some bits. Semantics: {@link Endpoint#fetchXor}.
     *
     * @param bits the bits to combine with the word
     * @param key a key of this peer with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @return the value that was there before
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this peer or lacks the right
     */
    CompletableFuture<Long> fetchXor(long bits, PeerKey key, long targetOffset);

    /**
     * Replaces an aligned 64-bit word. Semantics: {@link Endpoint#swap}.
     *
     * @param replacement the new value
     * @param key a key of this peer with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @return the value that was there before
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this peer or lacks the right
     */
    CompletableFuture<Long> swap(long replacement, PeerKey key, long targetOffset);

    /**
     * Replaces an aligned 64-bit word that has an expected value. The future completes with the value that was there before: the expected
     * one if the word was replaced. Semantics: {@link Endpoint#compareAndSwap}.
     *
     * @param expected the value that the word must have
     * @param replacement the new value
     * @param key a key of this peer with {@link AccessRight#ATOMIC}
     * @param targetOffset the word's offset in the remote region, a multiple of 8
     * @return the value that was there before
     * @throws IndexOutOfBoundsException if the word leaves the remote region
     * @throws IllegalArgumentException if the offset is not aligned, or the key is not of this peer or lacks the right
     */
    CompletableFuture<Long> compareAndSwap(long expected, long replacement, PeerKey key, long targetOffset);

    /**
     * Completes its future when every operation called before is complete and visible at the target. Semantics: {@link Endpoint#flush}.
     *
     * @return done when all is visible; fails with {@link Status#REVOKED} if the target refused a put since the last flush
     */
    CompletableFuture<Void> flush();

    /**
     * Orders: every put, get and atomic called after it takes effect at the target after those called before it. Semantics:
     * {@link Endpoint#fence}.
     *
     * @return done when the fence is posted, which says nothing about any operation
     */
    CompletableFuture<Void> fence();

    /**
     * Sets the handler of the peer's {@link #putSignal}. The data is visible in this process when the handler is called. Until a handler
     * is set, the newest 1,024 signals are kept for it, and dropped ones are logged.
     *
     * @param handler replaces the one before; what it throws is logged
     */
    void onSignal(LongConsumer handler);

    /**
     * Sets the handler that is called after each reconnection by a {@link ReconnectPolicy}. Keys must be unpacked again then.
     *
     * @param handler replaces the one before; what it throws is logged
     */
    void onReconnect(Runnable handler);

    /**
     * Adds a handler that is called when the peer has ended for good and every operation has completed, or at once if that has happened already.
     *
     * @param handler called once with the failure, or with empty after a graceful close by either side; what it throws is logged
     */
    void onClosed(Consumer<Optional<FairleadException>> handler);

    /**
     * The state of the connection.
     *
     * @return as of a moment ago; goes back to {@link EndpointState#CONNECTING} under a {@link ReconnectPolicy}
     */
    EndpointState state();

    /**
     * The path that the data takes, and its reason.
     *
     * @return the path on the present connection, or on the last
     */
    Path path();

    /**
     * Why the connection failed.
     *
     * @return the cause while the state is {@link EndpointState#FAILED}, and the last failure while a connection is made again
     */
    Optional<FairleadException> failure();

    /**
     * The name that the peer gave itself ({@code node.name}).
     *
     * @return the name on the present connection, or on the last
     */
    String name();

    /**
     * The identity of the peer's context; a restarted process has another one.
     *
     * @return the identity on the present connection, or on the last
     */
    long incarnation();

    /**
     * The peer's address on the control channel.
     *
     * @return the address as connected to, or as accepted
     */
    InetSocketAddress remoteAddress();

    /**
     * The identity that the peer has proved, by its certificate or a shared secret.
     *
     * @return the identity on the present connection, or on the last; {@link PeerIdentity#ANONYMOUS} where {@code security.mode} is off
     */
    PeerIdentity identity();

    /**
     * What the present connection has counted.
     *
     * @return a live view of the present connection, or of the last
     */
    Counters counters();

    /**
     * The node that made this peer.
     *
     * @return never changes
     */
    Node node();

    /**
     * Closes gracefully: sends what was called before within {@code close.timeout}, then fails what is left with
     * {@link Status#CLOSED}. Ends reconnecting. Idempotent. Waits for all of that unless called on a progress thread, where it only starts the close.
     */
    @Override
    void close();

    /** Closes at once. The other side sees the connection fail. As {@link #close()} otherwise. */
    void abort();
}
