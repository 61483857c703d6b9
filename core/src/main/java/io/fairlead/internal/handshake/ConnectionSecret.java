package io.fairlead.internal.handshake;

import io.fairlead.internal.memory.KeySecret;
import java.nio.ByteBuffer;

/**
 * The shared secret of the two sides of one connection. With TLS nobody else knows it. Without TLS it is derived from
 * the plain text of the handshake: it then distinguishes connections, but does not protect from anyone who reads the
 * handshake.
 */
final class ConnectionSecret {
    private final byte[] bytes;

    private ConnectionSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The secret of a connection inside TLS.
     *
     * @param exported the output of the TLS exporter, equal on both sides, 32 bytes
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
     * @param connectorHalf the connector's random number for the connection
     * @param listenerHalf the listener's random number
     * @param connector the secret that signs keys of the connector's context
     * @param listener the secret that signs keys of the listener's context
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
     * Binds the secret to the chosen path. Other contexts, endpoints and paths have other keys.
     *
     * @param path names the chosen path, in ASCII
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

    /** Omits the secret. */
    @Override
    public String toString() {
        return "ConnectionSecret";
    }
}
