package io.fairlead.spi;

import io.fairlead.FairleadException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The core's side of an endpoint, for its transport. Every method is called from the worker's thread, inside progress or a post. */
public interface EndpointHost {
    /**
     * A message has begun to arrive: its tag and length are known. The core looks for a receive.
     *
     * <p>If {@link Arrival#operation()} of the result is not null, the message is matched: the transport delivers it as if
     * {@link TransportEndpoint#deliver} had been called, and then completes the operation. Otherwise it keeps the message, or leaves it with the sender, until the core calls
     * {@code deliver} or {@code discard}.
     *
     * @param tag 48 bits
     * @param length bytes, 0 and up
     * @param place where the payload is
     * @return the arrival, or null if the message breaks a bound that the sender was told: the transport then stops reading
     *     from this peer, whose endpoint the core has failed
     */
    @Nullable Arrival arrived(long tag, long length, Arrival.Place place);

    /**
     * Matches an eager message that is here whole, without an arrival: the short way of {@link #arrived}, for the common case.
     *
     * @param tag 48 bits
     * @param length bytes, 0 and up
     * @return the receive, which the transport fills and completes with the message's length before it returns to the core; null if no
     *     receive waits for the message, or it breaks a rule: then {@link #arrived} is to be called
     */
    default @Nullable Operation match(long tag, long length) {
        return null;
    }

    /**
     * A message has matched a receive that {@link MatchingEndpoint#receive} took.
     *
     * @param receive the receive, which is completed next
     * @param tag 48 bits
     * @param length bytes, 0 and up
     */
    void matched(Operation receive, long tag, long length);

    /**
     * A put-with-signal has arrived and its data is visible.
     *
     * @param value the peer's value
     */
    void signalled(long value);

    /**
     * A control frame has arrived on a connection that the transport took.
     *
     * @param frame the frame's bytes, valid during the call
     */
    void control(ByteBuffer frame);

    /**
     * Something was heard of the peer. Calls cost next to nothing; liveness is judged by them on a connection that the transport took.
     */
    void heard();

    /**
     * The endpoint has failed. The core calls {@link TransportEndpoint#close()} before the next progress ends.
     *
     * @param cause what was observed
     */
    void failed(FairleadException cause);

    /**
     * The peer has closed its end of a connection that the transport took, with no bytes missing. The core knows whether a goodbye came before.
     */
    void ended();

    /** Wakes the peer's worker, if it blocks, by the control connection. For transports whose data wakes nobody. */
    void wakePeer();

    /**
     * Finds a region of this context for an operation that the transport serves in software, and keeps it from being freed
     * until {@link LocalRegion#release()}.
     *
     * @param regionId the region's id, as it came from the peer
     * @return the region, or null if there is none of that id, or it was closed
     */
    @Nullable LocalRegion acquireRegion(long regionId);

    /**
     * The greatest message that a sender may send without waiting for the receive: longer ones go by rendezvous. The smaller of what
     * both sides configured.
     *
     * @return bytes
     */
    int eagerMax();

    /**
     * The endpoint's number on this worker, which the peer's tagged messages carry where a transport needs them to.
     *
     * @return 1 to 65535
     */
    int id();

    /**
     * The number that tagged messages to the peer must carry where a transport needs them to: the peer's {@link #id()} of this
     * connection.
     *
     * @return 1 to 65535
     */
    int sourceId();

    /**
     * The connection's token, the same at both sides. What a transport says of an endpoint by another road than the control connection
     * carries it, so that the peer does not take it for a word about another connection under the same {@link #id()}.
     *
     * @return never changes
     */
    ConnectionToken token();

    /**
     * Whether this side asked for the connection. Where the core keeps the control connection, this side's endpoint is then made after
     * the peer's.
     *
     * @return true at the side that connected, false at the one that listened
     */
    boolean isConnector();

    /**
     * The endpoint's number, for logs and errors.
     *
     * @return the number and the peer's name
     */
    String label();
}
