package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The peers that serve under one name. A node connects to each member that the name's resolver finds. It reconnects to lost members, and
 * closes connections to former members. {@link Node#peers(String)} makes one. Thread-safe. Implemented by Fairlead only.
 *
 * <p>An operation goes to one member, which {@link PeerSelection} picks from the connected members. It goes to another
 * member if it certainly did not leave this process: the member had no capacity, or its connection ended before. If it may have been
 * delivered when the connection ended, it is not repeated: its future fails with reason {@code PEER_LOST}, and names the member. Operations
 * of one thread may overtake each other, because they go to different members.
 *
 * <p>Without a connected member an operation waits for one ({@link BackPressure#WAIT}), for at most {@code node.wait-timeout}, or fails at once with
 * {@link Status#NOT_CONNECTED}; the failure says how many members there are, and why they are not connected. At most {@code node.queue-max}
 * operations of a set wait like that. {@link Node} states the rules for futures, buffers and callbacks.
 *
 * <p>A member that is no longer found is given no further operation, and its connection is closed when those in flight have ended, after {@code close.timeout} at
 * the latest. When the resolver fails the members of its last answer stay.
 */
public interface PeerSet extends AutoCloseable {
    /**
     * Sends a tagged message to one member. The future completes when the buffer may be reused, which says nothing about the receiver: if a
     * member dies, messages to it may be lost without notice. {@link #sendSynchronous} reports such a loss.
     *
     * @param message the whole segment is the message
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return done when the memory may be reused; fails with {@code PEER_LOST} if the message may have been delivered, or not
     */
    CompletableFuture<Void> send(MemorySegment message, long tag);

    /**
     * Sends a copy of these bytes to one member. As {@link #send(MemorySegment, long)}.
     *
     * @param message the message; may be changed when the call returns
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return done when the message has been handed to the transport
     */
    default CompletableFuture<Void> send(byte[] message, long tag) {
        return send(MemorySegment.ofArray(message), tag);
    }

    /**
     * Sends a tagged message to one member. The future completes when a receive of the member has matched it.
     *
     * @param message the whole segment is the message
     * @param tag the tag, 0 to {@link Worker#TAG_MAX}
     * @return done when a member has matched the message; fails with {@code PEER_LOST} if it may have, or not
     */
    CompletableFuture<Void> sendSynchronous(MemorySegment message, long tag);

    /**
     * Sends a request to the service of one member with this tag. What {@link Peer#request} says of replies, deadlines, cancels and memory holds
     * here too. Each member is sent the time that is left when it is asked.
     *
     * <p>A request that no handler has seen is safe to send again, and goes to another member. One that has refused it is not
     * asked again. Every other failure is reported to the caller: the end of a connection while a handler may have run, and what a handler
     * has answered. The future fails with a {@link RequestException} that names the service, and the member if there is one.
     * {@link RequestStatistics} and observers count each attempt as a separate request.
     *
     * <p>A request that no member takes waits for at most {@code node.wait-timeout}. Then it fails with {@link RequestStatus#UNAVAILABLE}, or
     * with {@link RequestStatus#RESOURCE_EXHAUSTED} if the connected members have no capacity. At its deadline it fails with
     * {@link RequestStatus#DEADLINE_EXCEEDED} if that is sooner. Cancelling the future frees its slot.
     *
     * @param message the whole segment is the request, of 0 bytes and up. Heap memory, and up to 8,192 bytes of any memory, is copied before the call
     *     returns. Longer native memory that any thread may access is sent in place and belongs to the node until the future completes;
     * cancelling the future does not free it
     * @param tag the service's tag, 0 to {@link Worker#TAG_MAX}
     * @param deadline the time from now, up to a day. One of zero or less fails with {@link RequestStatus#DEADLINE_EXCEEDED} and sends nothing
     * @return the reply; {@link Message#source()} is the member's peer
     */
    CompletableFuture<Message> request(MemorySegment message, long tag, Duration deadline);

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
     * Picks a member for the caller's own use. Its operations are its own: they are not repeated on another member, and not counted as in flight.
     *
     * @return a connected peer; empty if there is none
     */
    Optional<Peer> pick();

    /**
     * The members that are connected.
     *
     * @return a copy
     */
    List<Peer> peers();

    /**
     * The members, connected or not.
     *
     * @return the members of the resolver's last answer
     */
    List<Member> members();

    /**
     * Why the resolver has no answer.
     *
     * @return the cause; empty while its last answer was one
     */
    Optional<FairleadException> failure();

    /**
     * The name that the members serve under.
     *
     * @return never changes
     */
    ServiceName name();

    /**
     * The node whose set it is.
     *
     * @return never changes
     */
    Node node();

    /**
     * Ends the resolver, closes the connections gracefully, and fails what waits for a member with {@link Status#CLOSED}. Idempotent. Waits for
     * all of that, unless
     * called on a progress thread, where it only starts the close. Closing the node closes it too.
     */
    @Override
    void close();
}
