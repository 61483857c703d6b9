package io.fairlead.transport.shm;

import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.HmacKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The offer of a ring by the endpoint that reads it: the key of the memory file, and the index of the ring in the file.
 * Its seal is an HMAC with a key of the connection. It covers the key and the index, the ring's location and size, both
 * endpoints' numbers, and the side of the offer. An offer is therefore valid on one connection, and in one direction.
 *
 * <p>The owner also {@linkplain Ring#setSeal writes} the seal into the ring, and the writer checks it there. A peer may
 * know the key of another process's ring, and could seal an offer of that ring. But it cannot write the seal into the
 * ring.
 */
final class RingOffer {
    private static final String LABEL = "shm ring offer";
    private static final byte[] TITLE = "fairlead ring".getBytes(StandardCharsets.US_ASCII);
    private static final int PLACE_LENGTH = MemoryFile.KEY_LENGTH + Integer.BYTES;

    private final byte[] key;
    private final int index;
    private final byte[] seal;

    private RingOffer(byte[] key, int index, byte[] seal) {
        this.key = key;
        this.index = index;
        this.seal = seal;
    }

    /** Creates and reads the offers of one connection. */
    static final class Sealer {
        private final EndpointHost host;
        private final HmacKey secret;

        Sealer(EndpointHost host) {
            this.host = host;
            this.secret = new HmacKey(host.pathKey(LABEL), Ring.SEAL_LENGTH);
        }

        /** The offer of this side. */
        RingOffer make(byte[] key, int index) {
            return new RingOffer(key, index, secret.sign(claim(host.isConnector(), key, index)));
        }

        /** The offer of the other side; null if it is malformed, or not the other side's for this connection. */
        @Nullable RingOffer read(byte[] bytes) {
            if (bytes.length != PLACE_LENGTH + Ring.SEAL_LENGTH) {
                return null;
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            byte[] key = new byte[MemoryFile.KEY_LENGTH];
            in.get(key);
            int index = in.getInt();
            byte[] seal = new byte[Ring.SEAL_LENGTH];
            in.get(seal);
            return RingSlots.isIndex(index) && secret.verify(claim(!host.isConnector(), key, index), seal)
                    ? new RingOffer(key, index, seal)
                    : null;
        }

        private byte[] claim(boolean ofConnector, byte[] key, int index) {
            boolean connector = host.isConnector();
            return ByteBuffer.allocate(TITLE.length + 1 + 4 * Integer.BYTES + Long.BYTES + PLACE_LENGTH)
                    .put(TITLE)
                    .put((byte) (ofConnector ? 1 : 0))
                    .putInt(connector ? host.id() : host.sourceId())
                    .putInt(connector ? host.sourceId() : host.id())
                    .putInt(RingSlots.SLAB_SIZE)
                    .putInt(Ring.SIZE)
                    .putLong(RingSlots.ringAddress(0, index))
                    .put(key)
                    .putInt(index)
                    .array();
        }
    }

    byte[] encode() {
        return ByteBuffer.allocate(PLACE_LENGTH + Ring.SEAL_LENGTH)
                .put(key)
                .putInt(index)
                .put(seal)
                .array();
    }

    byte[] key() {
        return key;
    }

    int index() {
        return index;
    }

    byte[] seal() {
        return seal;
    }
}
