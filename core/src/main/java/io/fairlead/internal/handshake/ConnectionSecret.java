package io.fairlead.internal.handshake;

import io.fairlead.internal.memory.KeySecret;
import java.nio.ByteBuffer;

/**
 * The secret that the two sides of one connection share, and that no other connection has. With TLS nobody else knows it. Without TLS it is derived from the clear text
 * of the handshake: it then tells connections apart, and protects from nobody who reads the handshake.
 */
final class ConnectionSecret {
    private final byte[] bytes;

    private ConnectionSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The secret of a connection inside TLS.
     *
     * @param exported what the TLS exporter gave to both sides, 32 bytes
     */
    static ConnectionSecret ofExporter(byte[] exported) {
        if (exported.length != Hkdf.LENGTH) {
            throw new IllegalArgumentException("exported key has a wrong length: length=" + exported.length
                    + ", expected " + Hkdf.LENGTH + " bytes");
        }
        return new ConnectionSecret(exported.clone());
    }

    /**
     * The secret of a connection without TLS.
     *
     * @param connectorHalf what the connector has drawn at random for the connection
     * @param listenerHalf what the listener has drawn
     * @param connector what the connector's context signs keys with
     * @param listener what the listener's context signs keys with
     */
    static ConnectionSecret ofHandshake(
            long connectorHalf, long listenerHalf, KeySecret connector, KeySecret listener) {
        byte[] material = ByteBuffer.allocate(2 * Long.BYTES + 2 * KeySecret.LENGTH)
                .putLong(connectorHalf)
                .putLong(listenerHalf)
                .put(connector.bytes())
                .put(listener.bytes())
                .array();
        return new ConnectionSecret(Hkdf.derive(material, new byte[0]));
    }

    /**
     * Binds the secret to the path that was chosen. The keys differ for other contexts, endpoints and paths.
     *
     * @param path names the path that was chosen, in ASCII
     */
    PathKeys pathKeys(
            String path, long connectorIncarnation, int connectorId, long listenerIncarnation, int listenerId) {
        byte[] name = Hkdf.ascii(path);
        byte[] ends = ByteBuffer.allocate(2 * Long.BYTES + 2 * Integer.BYTES + name.length)
                .putLong(connectorIncarnation)
                .putInt(connectorId)
                .putLong(listenerIncarnation)
                .putInt(listenerId)
                .put(name)
                .array();
        return new PathKeys(Hkdf.derive(bytes, ends));
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "ConnectionSecret";
    }
}
