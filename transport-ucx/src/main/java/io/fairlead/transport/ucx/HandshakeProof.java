package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.host.HostSecret;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * By which a listener knows that the connector is a process of its host and user, and has heard this listener's answer. A handshake that was overheard, and
 * is said again by somebody else, ends here, before UCX makes anything of it.
 */
final class HandshakeProof {
    /** Begins what a proof signs, and nothing else that is signed. */
    private static final byte[] TITLE = "fairlead ready".getBytes(StandardCharsets.US_ASCII);

    private static final int CLAIM_LENGTH = TITLE.length + 4 * Long.BYTES + 2 * Integer.BYTES;

    private final EndpointHost host;
    private final long worker;
    private final long peerWorker;

    /**
     * Makes the proof of an endpoint.
     *
     * @param worker this side's
     * @param peerWorker the other one's
     */
    HandshakeProof(EndpointHost host, long worker, long peerWorker) {
        this.host = host;
        this.worker = worker;
        this.peerWorker = peerWorker;
    }

    /** What the connector says. */
    byte[] make() {
        return HostSecret.here().sign(claim(), CLAIM_LENGTH);
    }

    /**
     * Checks what the listener has heard.
     *
     * @throws FairleadException if it proves nothing
     */
    void check(byte[] proof) {
        byte[] claimed = ByteBuffer.allocate(CLAIM_LENGTH + proof.length)
                .put(claim())
                .put(proof)
                .array();
        if (!HostSecret.here().signed(claimed)) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the handshake was not finished by a process of this user on this host: endpoint=" + host.label());
        }
    }

    /** What both sides know of the connection. */
    private byte[] claim() {
        boolean connector = host.isConnector();
        return ByteBuffer.allocate(CLAIM_LENGTH)
                .put(TITLE)
                .putLong(host.token().connector())
                .putLong(host.token().listener())
                .putInt(connector ? host.id() : host.sourceId())
                .putInt(connector ? host.sourceId() : host.id())
                .putLong(connector ? worker : peerWorker)
                .putLong(connector ? peerWorker : worker)
                .array();
    }
}
