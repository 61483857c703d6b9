package io.fairlead.transport.shm;

import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.host.HostSecret;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint says of the ring that it reads: the key of the file, and which ring in it. Signed together with what both sides know of the
 * connection, so that an offer that was overheard is worth nothing on another one, nor in the other direction.
 */
final class RingOffer {
    /** Begins what is signed, and nothing else that is. */
    private static final byte[] CLAIM = "fairlead ring".getBytes(StandardCharsets.US_ASCII);

    private static final int LENGTH = MemoryFile.KEY_LENGTH + Integer.BYTES;

    private final byte[] key;
    private final int index;

    private RingOffer(byte[] key, int index) {
        this.key = key;
        this.index = index;
    }

    /** The offer of an endpoint of this process. */
    static byte[] encode(EndpointHost host, byte[] key, int index) {
        byte[] claim = claim(host, host.isConnector(), key, index);
        return ByteBuffer.allocate(LENGTH + HostSecret.LENGTH)
                .put(key)
                .putInt(index)
                .put(HostSecret.here().sign(claim, claim.length))
                .array();
    }

    /** The offer of the peer of an endpoint; null if it is none, or no process of this user on this host has made it for this connection. */
    static @Nullable RingOffer decode(EndpointHost host, byte[] bytes) {
        if (bytes.length != LENGTH + HostSecret.LENGTH) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        byte[] key = new byte[MemoryFile.KEY_LENGTH];
        in.get(key);
        int index = in.getInt();
        byte[] claim = claim(host, !host.isConnector(), key, index);
        byte[] signed = Arrays.copyOf(claim, claim.length + HostSecret.LENGTH);
        in.get(signed, claim.length, HostSecret.LENGTH);
        return RingSlots.isIndex(index) && HostSecret.here().signed(signed) ? new RingOffer(key, index) : null;
    }

    private static byte[] claim(EndpointHost host, boolean ofConnector, byte[] key, int index) {
        boolean connector = host.isConnector();
        return ByteBuffer.allocate(CLAIM.length + 1 + 2 * Long.BYTES + 2 * Integer.BYTES + LENGTH)
                .put(CLAIM)
                .put((byte) (ofConnector ? 1 : 0))
                .putLong(host.token().connector())
                .putLong(host.token().listener())
                .putInt(connector ? host.id() : host.sourceId())
                .putInt(connector ? host.sourceId() : host.id())
                .put(key)
                .putInt(index)
                .array();
    }

    byte[] key() {
        return key;
    }

    int index() {
        return index;
    }
}
