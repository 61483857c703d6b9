package io.fairlead.internal.handshake;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.internal.access.Admission;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.spi.TransportWorker;

/** The endpoint that a handshake connects. */
public interface HandshakeEndpoint {
    /** As the application sees it. */
    Endpoint endpoint();

    /** A handshake carries it from now on, and is given up when it ends. */
    void start(Handshake running);

    /** Its number, which the peer's messages to it carry. */
    int id();

    /** What its handler can do, for the peer's. */
    int features();

    /** This side's half of the connection's token. */
    long ownToken();

    /** The place of its peer, which it holds until its end. */
    void admit(Admission admission);

    /** What the handshake has settled, before any data can move. */
    void agree(ConnectionParameters parameters, TransportWorker transport);

    /** Makes the transport's part. The control connection goes to the transport, or to a link of the core. */
    void attach(TransportWorker transport, byte[] peerAddress, LingeringConnection connection);

    /** Closes the transport's part, since its path cannot be set up. The control connection stays. */
    void detach();

    /** What the peer's endpoint needs of this one's transport. */
    byte[] wireUpData();

    /** Takes the peer's {@link #wireUpData()}. */
    void wireUp(byte[] data);

    /** The transport connects the endpoint by itself now. The handshake goes on until both sides are ready. */
    void settle(long deadlineNs);

    /** The control connection stays with the core. */
    void keepConnection(LingeringConnection connection);

    /** The handshake is over; the endpoint is connected as soon as its transport is ready. */
    void endHandshake(long deadlineNs);

    /** The handshake has failed, and the endpoint with it. */
    void fail(FairleadException cause);
}
