package io.fairlead.transport.shm;

import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.HmacKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The packet with which an endpoint passes the descriptor of the ring that it reads. Its seal is an HMAC with a key of
 * the connection. It covers the ring's size, both endpoints' numbers, and the side that passes it. A packet is therefore
 * valid on one connection, and in one direction.
 */
final class RingSeal {
    private static final String LABEL = "shm descriptors";
    private static final byte[] TITLE = "fairlead ring".getBytes(StandardCharsets.US_ASCII);

    private static final int SEAL_AT = WorkerAddress.TOKEN_LENGTH + Integer.BYTES;
    static final int PACKET_LENGTH = SEAL_AT + HmacKey.LENGTH_MAX;

    private final EndpointHost host;
    private final HmacKey key;

    /**
     * Creates the seal of a connection.
     *
     * @param key the {@linkplain #key connection's}
     */
    RingSeal(EndpointHost host, HmacKey key) {
        this.host = host;
        this.key = key;
    }

    /** Derives the key of a connection for passing descriptors; once per endpoint. */
    static HmacKey key(EndpointHost host) {
        return new HmacKey(host.pathKey(LABEL), HmacKey.LENGTH_MAX);
    }

    /**
     * The packet of this side.
     *
     * @param token what the peer's {@link RingListener} expects
     */
    byte[] packet(byte[] token) {
        return ByteBuffer.allocate(PACKET_LENGTH)
                .put(token)
                .putInt(host.sourceId())
                .put(key.sign(claim(host.isConnector())))
                .array();
    }

    /** Whether a packet is the other side's for this connection. */
    boolean isOfPeer(byte[] packet) {
        return packet.length == PACKET_LENGTH
                && key.verify(claim(!host.isConnector()), Arrays.copyOfRange(packet, SEAL_AT, PACKET_LENGTH));
    }

    /** The token in a packet of the right length. */
    static byte[] token(byte[] packet) {
        return Arrays.copyOf(packet, WorkerAddress.TOKEN_LENGTH);
    }

    /** The number of the receiver's endpoint in a packet of the right length. */
    static int receiver(byte[] packet) {
        return ByteBuffer.wrap(packet).getInt(WorkerAddress.TOKEN_LENGTH);
    }

    private byte[] claim(boolean ofConnector) {
        return ByteBuffer.allocate(TITLE.length + 1 + 4 * Integer.BYTES)
                .put(TITLE)
                .put((byte) (ofConnector ? 1 : 0))
                .putInt(host.isConnector() ? host.id() : host.sourceId())
                .putInt(host.isConnector() ? host.sourceId() : host.id())
                .putInt(RingSlots.SLAB_SIZE)
                .putInt(Ring.SIZE)
                .array();
    }
}
