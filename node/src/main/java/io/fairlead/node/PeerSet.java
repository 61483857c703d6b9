package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The peers that serve under one name. A node connects to each member that the name's resolver finds, connects again to those that are lost, and takes leave of those
 * that are members no more. {@link Node#peers(String)} makes one. Thread-safe. Implemented by Fairlead only.
 *
 * <p>An operation goes to one member, which {@link PeerSelection} picks of those that are connected. If it certainly did not leave this process, because the
 * member had no room or its connection ended before, it goes to another member. If it may have been delivered when the connection ended, it is not repeated: its future
 * fails with reason {@code PEER_LOST}, and names the member. Operations of one thread may overtake each other, because they go to different members.
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
     * Sends a tagged message to one member. The future completes when the buffer may be reused, which says nothing about the receiver: a message of a
     * member that dies may be lost without notice. {@link #sendSynchronous} tells.
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
     * @return those of the resolver's last answer
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
     * Ends the resolver, closes the connections with goodbyes, and fails what waits for a member with {@link Status#CLOSED}. Idempotent. Waits for all of that, unless
     * called on a progress thread, where it only starts the close. Closing the node closes it too.
     */
    @Override
    void close();
}
