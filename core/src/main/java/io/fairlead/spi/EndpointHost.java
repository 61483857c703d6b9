package io.fairlead.spi;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The core's side of an endpoint, which the transport calls. Belongs to the worker's thread; the transport calls it inside
 * {@link TransportWorker#progress()} or inside a post. Implemented by the core.
 */
public interface EndpointHost {
    /**
     * Reports that a message has begun to arrive, with known tag and length. The core looks for a receive that matches.
     *
     * <p>If {@link Arrival#operation()} of the result is not null, a receive has matched: the transport delivers as
     * {@link TransportEndpoint#deliver} specifies, and completes the operation. If it is null, the transport keeps the
     * message, or leaves it at the sender, until the core calls {@code deliver} or {@code discard}.
     *
     * @param tag 48 bits
     * @param length bytes, 0 and up
     * @param place where the payload is
     * @return the arrival; null if the message exceeds a limit that the peer knows. In that case the core has failed
     *     the endpoint and the transport stops reading from the peer
     */
    @Nullable Arrival arrived(long tag, long length, Arrival.Place place);

    /**
     * Matches an eager message that has arrived completely, without an {@link Arrival}. A shortcut for {@link #arrived}
     * in the common case.
     *
     * @param tag 48 bits
     * @param length bytes, 0 and up
     * @return the receive, which the transport fills and completes with the message's length before it returns to the
     *     core. Null if no receive is posted for the message or the message breaks a rule; the transport then calls
     *     {@link #arrived}
     */
    default @Nullable Operation match(long tag, long length) {
        return null;
    }

    /**
     * Reports that an eager active message has begun to arrive. It is never unmatched: the core supplies a receive with
     * memory for the header and the payload behind it. The transport fills and completes that as it does for a message
     * that a receive has matched.
     *
     * @param number the handler number as received from the peer; untrusted
     * @param headerLength bytes of the header; untrusted
     * @param length bytes of header and payload together; untrusted
     * @return the arrival, whose {@link Arrival#operation()} is not null; null if the message breaks a rule. In that case
     *     the core has failed the endpoint and the transport stops reading from the peer
     */
    @Nullable Arrival activeArrived(int number, int headerLength, long length);

    /**
     * Reports an active message that is here whole. The core copies it during the call, so that each byte of the peer is read once.
     *
     * @param number the handler number as received from the peer; untrusted
     * @param headerLength bytes of the header; untrusted
     * @param bytes memory with the header and the payload behind it
     * @param offset first byte of the header there
     * @param length bytes of header and payload together, all of them in {@code bytes}
     * @return false if the message breaks a rule: as null of {@link #activeArrived}
     */
    default boolean tryTakeActive(int number, int headerLength, MemorySegment bytes, long offset, long length) {
        Arrival arrival = activeArrived(number, headerLength, length);
        if (arrival == null) {
            return false;
        }
        Operation receive = Objects.requireNonNull(arrival.operation(), "operation");
        MemorySegment.copy(bytes, offset, receive.buffer(), receive.offset(), length);
        receive.complete(Status.OK, length);
        return true;
    }

    /**
     * Reports an active message whose payload waits at the sender. The core copies the header during the call.
     *
     * @param number the handler number as received from the peer; untrusted
     * @param header memory with the header
     * @param offset first byte of the header there
     * @param headerLength bytes of the header; untrusted
     * @param length bytes of the payload; untrusted
     * @return the arrival, without an operation: the transport leaves the payload at the sender until the core calls
     *     {@link TransportEndpoint#deliver} or {@link TransportEndpoint#discard}. Null as for {@link #activeArrived}
     */
    @Nullable Arrival activeAnnounced(int number, MemorySegment header, long offset, int headerLength, long length);

    /**
     * Reports that a put-with-signal has arrived and that its data is visible to this process.
     *
     * @param value the signal, 64 bits
     */
    void signalled(long value);

    /**
     * Passes a control frame from the data stream of a {@link ControlCarrier} to the core.
     *
     * @param frame the frame's bytes, valid during the call
     */
    void control(ByteBuffer frame);

    /**
     * Reports that bytes of the peer have arrived on the connection of a {@link ControlCarrier}. A control carrier must
     * call this, because the core does not read its connection; a call costs next to nothing. For other transports it
     * has no effect: the core watches their control connections itself, and other data does not prove that a control
     * connection works.
     */
    void heard();

    /**
     * Reports that the endpoint has failed. The core calls {@link TransportEndpoint#close()} before the next progress
     * ends.
     *
     * @param cause the failure that the application receives
     */
    void failed(FairleadException cause);

    /**
     * Reports that the peer has closed its end of the connection of a {@link ControlCarrier}, between two messages. The
     * core knows whether the peer disconnected gracefully before.
     */
    void ended();

    /**
     * Whether the endpoint may leave its lanes and go on over the control connection, as far as this side knows:
     * {@code endpoint.failover} is on at both sides, and this side's policy allows TCP.
     *
     * @return false unless overridden; constant from the creation of the transport's endpoint on
     */
    default boolean mayLeaveLanes() {
        return false;
    }

    /**
     * Sends a frame of the transport on the control connection. Copies it.
     *
     * @param frame up to {@link LaneEndpoint#FRAME_MAX} bytes, from position to limit
     * @return false if the connection is full: retry in a later progress, which follows as soon as it is not
     */
    default boolean trySendFrame(ByteBuffer frame) {
        return false;
    }

    /**
     * Reports that the endpoint has left its lanes, and goes on over the control connection.
     *
     * @param cause why, for log and errors
     * @param pauseNs from the failure until now
     * @param replayed bytes of the lane that are sent again
     */
    default void leftLanes(String cause, long pauseNs, long replayed) {}

    /**
     * Reports that the endpoint uses lanes again, after it has {@linkplain #leftLanes left} others.
     *
     * @param pauseNs for which it has sent nothing
     */
    default void returnedToLanes(long pauseNs) {}

    /**
     * Reports that an attempt to {@linkplain LaneEndpoint#tryReturnToLanes return} has failed; at the listener's side.
     *
     * @param why for the log
     */
    default void stayedOffLanes(String why) {}

    /**
     * Wakes the peer's worker if it blocks, by a frame on the control connection. For transports whose data cannot wake
     * a peer.
     */
    void wakePeer();

    /**
     * Passes the peer's proof that it has the key of a region. The peer sends it once per endpoint, before or with its
     * first operation on the region. A wrong proof is ignored, so the peer learns nothing from it.
     * {@link io.fairlead.spi.served.RemoteResponder} calls this itself.
     *
     * @param proof the proof as received from the peer; untrusted
     */
    void admitRegion(RegionProof proof);

    /**
     * Acquires a region of this context for an operation of the peer that the transport serves in software. The region
     * is not freed before {@link LocalRegion#release()}.
     *
     * @param regionId the region's id as received from the peer; untrusted
     * @return the region, or null if no open region has that id, or if its proof was not
     *     {@linkplain #admitRegion received} on this endpoint
     */
    @Nullable LocalRegion acquireRegion(long regionId);

    /**
     * The maximum length of an eager message; longer messages use rendezvous. It is the minimum of the two sides'
     * configured values.
     *
     * @return bytes
     */
    int eagerMax();

    /**
     * The endpoint's number on this worker. If a transport needs it to dispatch messages, the peer puts this number
     * into each message.
     *
     * @return 1 to 65535
     */
    int id();

    /**
     * The number of the peer's endpoint on the peer's worker: its {@link #id()} of this connection, sent in messages to
     * the peer.
     *
     * @return 1 to 65535
     */
    int sourceId();

    /**
     * Derives a key of this connection. Both sides get the same key; it differs for each label, path and pair of
     * endpoints. A message about the endpoint that does not use the control connection carries an HMAC with such a key
     * ({@link HmacKey}). It is therefore not valid on another connection. If the HMAC covers the sender's
     * {@linkplain #isConnector role}, the message cannot be reflected to the sender either. Call this once, when the
     * endpoint is created: each call derives the key anew.
     *
     * <p>With TLS the key is a secret of the two sides. Without TLS anyone who reads the handshake can derive it too,
     * and it only distinguishes connections.
     *
     * @param label names the purpose, in ASCII, such as {@code shm ring offer}
     * @return 32 bytes, owned by the caller
     */
    byte[] pathKey(String label);

    /**
     * Whether this side connected. If so, and if the core keeps the control connection, the peer has created its
     * endpoint before this side does.
     *
     * @return true at the side that connected, false at the one that listened
     */
    boolean isConnector();

    /**
     * The label of the endpoint for logs and errors.
     *
     * @return the endpoint's number and the peer's name
     */
    String label();
}
