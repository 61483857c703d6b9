package io.fairlead.internal.handshake;

import io.fairlead.spi.HmacKey;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * The secret with which both sides of a connection prove to each other on another socket that they are its sides. Each
 * proof covers a fresh number of either side, so it is worthless on any other socket. Immutable.
 */
public final class ResumeSecret {
    /** The label of the key that both sides derive from the connection. */
    public static final String LABEL = "fairlead resume";

    private static final byte NAME = 0;
    private static final byte CONNECTOR = 1;
    private static final byte LISTENER = 2;

    private final HmacKey key;
    private final long name;

    /**
     * Creates the secret.
     *
     * @param key the connection's key for {@link #LABEL}
     */
    public ResumeSecret(byte[] key) {
        this.key = new HmacKey(key, Bytes32.LENGTH);
        this.name = ByteBuffer.wrap(this.key.sign(new byte[] {NAME})).getLong();
    }

    /** Names the connection to its listener, which has no other with this name. Says nothing about the secret. */
    public long name() {
        return name;
    }

    /** The connector's proof, and that it has read the listener's stream as far as it says. */
    Bytes32 ofConnector(Bytes32 connector, Bytes32 listener, long connectorRead) {
        return sign(CONNECTOR, connector, listener, connectorRead, 0);
    }

    /** The listener's proof, likewise. */
    Bytes32 ofListener(Bytes32 connector, Bytes32 listener, long connectorRead, long listenerRead) {
        return sign(LISTENER, connector, listener, connectorRead, listenerRead);
    }

    private Bytes32 sign(byte role, Bytes32 connector, Bytes32 listener, long connectorRead, long listenerRead) {
        return new Bytes32(key.sign(ByteBuffer.allocate(1 + 2 * Bytes32.LENGTH + 2 * Long.BYTES)
                .put(role)
                .put(connector.bytes())
                .put(listener.bytes())
                .putLong(connectorRead)
                .putLong(listenerRead)
                .array()));
    }

    /** Whether a signature is the expected one; takes the same time whichever it is. */
    static boolean isSame(Bytes32 expected, Bytes32 said) {
        return MessageDigest.isEqual(expected.bytes(), said.bytes());
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "ResumeSecret";
    }
}
