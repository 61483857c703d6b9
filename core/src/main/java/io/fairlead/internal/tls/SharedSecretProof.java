package io.fairlead.internal.tls;

import io.fairlead.spi.HmacKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The two sides of a TLS connection prove to each other that they know the same secret, without sending it. During a
 * replacement a side has two secrets. Each side sends an HMAC by the secret over its role and the output of this
 * connection's exporter. The proof is invalid on another connection, so it can be neither replayed nor relayed.
 *
 * <p>The connector proves first, and the listener answers only a correct proof. An attacker therefore gets nothing to
 * test guesses against. A listener refuses by sending zeros.
 */
final class SharedSecretProof {
    /** The label of the exporter. */
    static final String LABEL = "EXPORTER-fairlead-proof";
    /** Length of the exported material, and of a proof. */
    static final int LENGTH = 32;

    private static final byte[] REFUSAL = new byte[LENGTH];
    private static final byte CONNECTOR = 'C';
    private static final byte LISTENER = 'L';

    /** The state of the proof. */
    enum Step {
        /** The peer has proved it. */
        PROVED,
        /** The peer has another secret. */
        WRONG,
        /** The listener reports that this side has another secret. */
        REFUSED,
        /** Waits until the socket is writable. */
        WRITES,
        /** Waits until the socket is readable. */
        READS,
        /** The peer has closed the connection. */
        ENDED
    }

    private final TlsConnection connection;
    private final boolean connector;
    /** One key per secret; this side proves the first unless the peer has proved another. */
    private final List<HmacKey> keys;
    /** The bytes that this side signs. */
    private final byte[] claim;
    /** The bytes that the peer must sign. */
    private final byte[] peersClaim;

    private final ByteBuffer incoming = ByteBuffer.allocate(LENGTH);
    /** The bytes to send; empty until it is this side's turn. */
    private ByteBuffer outgoing = ByteBuffer.allocate(0);

    private boolean verified;
    private boolean wrong;

    SharedSecretProof(TlsConnection connection, boolean connector, List<byte[]> secrets, byte[] exported) {
        this.connection = connection;
        this.connector = connector;
        this.keys = secrets.stream().map(secret -> new HmacKey(secret, LENGTH)).toList();
        this.claim = claim(connector ? CONNECTOR : LISTENER, exported);
        this.peersClaim = claim(connector ? LISTENER : CONNECTOR, exported);
        if (connector) {
            outgoing = ByteBuffer.wrap(keys.getFirst().sign(claim));
        }
    }

    private static byte[] claim(byte role, byte[] exported) {
        return ByteBuffer.allocate(1 + exported.length).put(role).put(exported).array();
    }

    Step advance() throws IOException {
        while (true) {
            if (outgoing.hasRemaining()) {
                connection.write(outgoing);
                if (outgoing.hasRemaining()) {
                    return Step.WRITES;
                }
            }
            if (wrong) {
                return Step.WRONG;
            }
            if (verified) {
                return Step.PROVED;
            }
            int count = connection.read(incoming);
            if (incoming.hasRemaining()) {
                return count < 0 ? Step.ENDED : Step.READS;
            }
            byte[] answer = incoming.array();
            if (connector && Arrays.equals(answer, REFUSAL)) {
                return Step.REFUSED;
            }
            Optional<HmacKey> proved =
                    keys.stream().filter(key -> key.verify(peersClaim, answer)).findFirst();
            verified = proved.isPresent();
            wrong = !verified;
            if (!connector) {
                // By the secret that the connector has, which may be the one being replaced.
                outgoing = ByteBuffer.wrap(proved.map(key -> key.sign(claim)).orElse(REFUSAL));
            }
        }
    }
}
