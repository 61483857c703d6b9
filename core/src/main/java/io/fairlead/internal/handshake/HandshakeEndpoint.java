package io.fairlead.internal.handshake;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.internal.access.Admission;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.spi.TransportWorker;
import org.jspecify.annotations.Nullable;

/** The endpoint that a handshake connects. */
public interface HandshakeEndpoint {
    /** The endpoint for the application. */
    Endpoint endpoint();

    /** Attaches a handshake, which is cancelled when the endpoint ends. */
    void start(Handshake running);

    /** The endpoint's number, carried by the peer's messages to it. */
    int id();

    /** The features of its handler, for the peer's. */
    int features();

    /** This side's half of the connection's token. */
    long ownToken();

    /** The admission of its peer, which it holds until its end. */
    void admit(Admission admission);

    /** Stores the result of the handshake, before any data can move. */
    void agree(ConnectionParameters parameters, TransportWorker transport);

    /** Creates the transport's endpoint. The control connection goes to the transport, or to a link of the core. */
    void attach(TransportWorker transport, byte[] peerAddress, LingeringConnection connection);

    /** Closes the transport's endpoint, because its path cannot be set up. The control connection stays. */
    void detach();

    /** The data of this endpoint's transport for the peer's endpoint. */
    byte[] wireUpData();

    /** Takes the peer's {@link #wireUpData()}. */
    void wireUp(byte[] data);

    /** The transport connects the endpoint by itself now. The handshake continues until both sides are ready. */
    void settle(long deadlineNs);

    /**
     * The peer is about to know that this side has agreed, and may ask at once, on another socket, to resume the connection:
     * its name is known from now on, if both sides want that.
     */
    void announce(LingeringConnection connection);

    /**
     * The peer knows that this side has agreed: from now on the connection is resumed when it breaks, if both sides want that.
     *
     * @return the connection to use instead; null if it cannot be resumed, or that has been asked before
     */
    @Nullable LingeringConnection outlive(LingeringConnection connection);

    /** The control connection stays with the core. */
    void keepConnection(LingeringConnection connection);

    /** The handshake has ended; the endpoint is connected as soon as its transport is ready. */
    void endHandshake(long deadlineNs);

    /** The peer connected for an earlier endpoint: this one ends, as if it were closed. */
    void giveUp();

    /** The handshake has failed, and the endpoint with it. */
    void fail(FairleadException cause);
}
