package io.fairlead.spi;

import io.fairlead.FairleadException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The core's side of an endpoint, which the transport calls. Belongs to the worker's thread; the transport calls it inside
 * {@link TransportWorker#progress()} or inside a post. Implemented by the core.
 */
public interface EndpointHost {
    /**
     * Tells the core that a message has begun to arrive, with known tag and length. The core looks for a receive that matches.
     *
     * <p>If {@link Arrival#operation()} of the result is not null, a receive has matched: the transport does what
     * {@link TransportEndpoint#deliver} says, and completes the operation. If it is null, the transport keeps the message, or leaves it with the
     * sender, until the core calls {@code deliver} or {@code discard}.
     *
     * @param tag 48 bits
     * @param length bytes, 0 and up
     * @param place where the payload is
     * @return the arrival; or null if the message exceeds a bound that the peer knows, in which case the core has failed the endpoint and the
     *     transport stops reading from the peer
     */
    @Nullable Arrival arrived(long tag, long length, Arrival.Place place);

    /**
     * Matches an eager message of which every byte is here, without making an arrival. A shortcut for {@link #arrived} in the common case.
     *
     * @param tag 48 bits
     * @param length bytes, 0 and up
     * @return the receive, which the transport fills and completes with the message's length before it returns to the core; or null, after
     *     which the transport calls {@link #arrived}, because no receive is posted for the message or the message breaks a rule
     */
    default @Nullable Operation match(long tag, long length) {
        return null;
    }

    /**
     * Tells the core that the transport has matched a message with a receive that {@link MatchingEndpoint#receive} took. The transport completes
     * the receive right after this call.
     *
     * @param receive the receive
     * @param tag 48 bits
     * @param length bytes, 0 and up
     */
    void matched(Operation receive, long tag, long length);

    /**
     * Tells the core that a put-with-signal has arrived and that its data is visible to this process.
     *
     * @param value the signal, 64 bits
     */
    void signalled(long value);

    /**
     * Hands the core a control frame that came in the data stream of a {@link ControlCarrier}.
     *
     * @param frame the frame's bytes, valid during the call
     */
    void control(ByteBuffer frame);

    /**
     * Reports that bytes of the peer have arrived on the connection of a {@link ControlCarrier}. A control carrier must call this, because the core does
     * not see its connection; a call costs next to nothing. For other transports it has no effect: the core watches their control connections itself, and data
     * beside one does not show that it works.
     */
    void heard();

    /**
     * Tells the core that the endpoint has failed. The core calls {@link TransportEndpoint#close()} before the next progress ends.
     *
     * @param cause the failure that the application is told
     */
    void failed(FairleadException cause);

    /**
     * Tells the core that the peer has closed its end of the connection of a {@link ControlCarrier}, between two messages. The core knows whether
     * the peer has said goodbye before.
     */
    void ended();

    /** Wakes the peer's worker, if it blocks, by a frame on the control connection. For transports whose data cannot wake a peer. */
    void wakePeer();

    /**
     * Takes the proof that the peer was given the key of a region. The peer shows it once on each endpoint, before or with its first operation for the region. A wrong
     * proof is ignored, so that the peer learns nothing from it. {@link io.fairlead.spi.served.RemoteResponder} calls this itself.
     *
     * @param proof the proof, as it came from the peer; untrusted
     */
    void admitRegion(RegionProof proof);

    /**
     * Acquires a region of this context for an operation of the peer that the transport serves in software. The region is not freed until
     * {@link LocalRegion#release()}.
     *
     * @param regionId the region's id, as it came from the peer; untrusted
     * @return the region, or null if no open region has that id, or if its proof was not {@linkplain #admitRegion shown} on this endpoint
     */
    @Nullable LocalRegion acquireRegion(long regionId);

    /**
     * The longest message that goes eagerly, without waiting for its receive; longer ones go by rendezvous. It is the smaller of what both sides
     * have configured.
     *
     * @return bytes
     */
    int eagerMax();

    /**
     * The endpoint's number on this worker. If a transport must tell from a message which endpoint the message is for, the peer
     * puts this number into it.
     *
     * @return 1 to 65535
     */
    int id();

    /**
     * The number of the peer's endpoint on the peer's worker: its {@link #id()} of this connection, for messages to the peer to carry.
     *
     * @return 1 to 65535
     */
    int sourceId();

    /**
     * Derives a key of this connection. Both sides get the same key; it differs for each label, path and pair of endpoints. A message about the endpoint that goes
     * another way than the control connection carries an HMAC with such a key ({@link HmacKey}), so that it is not valid on another connection. If the HMAC covers the
     * {@linkplain #isConnector role} of the sender, the message cannot be reflected to it either. Ask once, when the endpoint is made: each call derives the key anew.
     *
     * <p>The key is a secret of the two sides where the connection is inside TLS. Without TLS whoever reads the handshake can derive it too, and it only
     * tells connections from each other.
     *
     * @param label names the purpose, in ASCII, such as {@code shm ring offer}
     * @return 32 bytes, the caller's
     */
    byte[] pathKey(String label);

    /**
     * Whether this side connected. If so, and if the core keeps the control connection, the peer has made its endpoint before this side does.
     *
     * @return true at the side that connected, false at the one that listened
     */
    boolean isConnector();

    /**
     * A name of the endpoint for logs and errors.
     *
     * @return the endpoint's number and the peer's name
     */
    String label();
}
