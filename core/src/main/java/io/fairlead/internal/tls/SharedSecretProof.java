package io.fairlead.internal.tls;

import io.fairlead.spi.HmacKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Two sides of a TLS connection prove to each other that they hold the same secret, without sending it. While a secret is replaced a side holds two. Each sends an HMAC by the secret over its
 * role and over what the exporter of this connection gives. On another connection the proof is worth nothing, so that nobody can say
 * it again, or pass it on from one connection to another.
 *
 * <p>The connector is first, and the listener answers only a proof that is right: whoever knocks learns nothing that could be tried against guesses. A listener
 * says by zeros that it refuses.
 */
final class SharedSecretProof {
    /** What the exporter is asked for. */
    static final String LABEL = "EXPORTER-fairlead-proof";
    /** Bytes of it, and of a proof. */
    static final int LENGTH = 32;

    private static final byte[] REFUSAL = new byte[LENGTH];
    private static final byte CONNECTOR = 'C';
    private static final byte LISTENER = 'L';

    /** How far it has come. */
    enum Step {
        /** The peer has proved it. */
        PROVED,
        /** The peer holds another secret. */
        WRONG,
        /** The listener says that this side holds another secret. */
        REFUSED,
        /** Waits until the socket is writable. */
        WRITES,
        /** Waits until the socket is readable. */
        READS,
        /** The peer has hung up. */
        ENDED
    }

    private final TlsConnection connection;
    private final boolean connector;
    /** Of the secrets, of which this side proves the first unless the peer has proved another. */
    private final List<HmacKey> keys;
    /** What this side signs. */
    private final byte[] claim;
    /** What the peer has to sign. */
    private final byte[] peersClaim;

    private final ByteBuffer incoming = ByteBuffer.allocate(LENGTH);
    /** What this side sends; nothing until it is its turn. */
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
            byte[] told = incoming.array();
            if (connector && Arrays.equals(told, REFUSAL)) {
                return Step.REFUSED;
            }
            Optional<HmacKey> proved =
                    keys.stream().filter(key -> key.verify(peersClaim, told)).findFirst();
            verified = proved.isPresent();
            wrong = !verified;
            if (!connector) {
                // By the secret that the connector has, which may be the one that is about to go.
                outgoing = ByteBuffer.wrap(proved.map(key -> key.sign(claim)).orElse(REFUSAL));
            }
        }
    }
}
