package io.fairlead.transport.ucx;

import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.HmacKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Authenticates the wire-up messages of one connection. UCX accepts messages from everyone who reaches a worker.
 * Therefore each wire-up message carries an HMAC with a key of the connection. It covers the kind of the message, its
 * number, the sender's side, and the numbers and addresses of both endpoints and both workers. A message that was
 * copied from another connection, reflected or changed has a wrong seal.
 */
final class WireUpSeal {
    static final int LENGTH = 16;

    /** The kind of the {@link HandshakeProof}, which is not sent through UCX. */
    static final int HANDSHAKE = 0;

    private static final String LABEL = "ucx wire-up";
    private static final byte[] TITLE = "fairlead wire-up".getBytes(StandardCharsets.US_ASCII);

    private final EndpointHost host;
    private final HmacKey key;
    private final WorkerAddress connector;
    private final WorkerAddress listener;
    /** Of how many wire-ups of the connection this is the last; 0 for the first. */
    private final int attempt;

    /**
     * Derives the key of a connection.
     *
     * @param own address of this side's worker
     * @param peer address of the peer's worker
     * @param attempt the number of earlier wire-ups of the connection
     */
    WireUpSeal(EndpointHost host, WorkerAddress own, WorkerAddress peer, int attempt) {
        this.attempt = attempt;
        this.host = host;
        this.key = new HmacKey(host.pathKey(LABEL), LENGTH);
        this.connector = host.isConnector() ? own : peer;
        this.listener = host.isConnector() ? peer : own;
    }

    /** The seal of a message of this side. */
    byte[] own(int kind, long number) {
        return seal(kind, number, host.isConnector());
    }

    /** The seal of a message of the peer. */
    byte[] peer(int kind, long number) {
        return seal(kind, number, !host.isConnector());
    }

    private byte[] seal(int kind, long number, boolean byConnector) {
        boolean here = host.isConnector();
        ByteBuffer said = ByteBuffer.allocate(TITLE.length
                        + 2
                        + 3 * Long.BYTES
                        + 5 * Integer.BYTES
                        + connector.address().length
                        + listener.address().length)
                .put(TITLE)
                .put((byte) kind)
                .put((byte) (byConnector ? 1 : 0))
                .putInt(attempt)
                .putLong(number)
                .putInt(here ? host.id() : host.sourceId())
                .putInt(here ? host.sourceId() : host.id())
                .putLong(connector.worker())
                .putLong(listener.worker())
                .putInt(connector.address().length)
                .put(connector.address())
                .putInt(listener.address().length)
                .put(listener.address());
        return key.sign(said.array());
    }
}
