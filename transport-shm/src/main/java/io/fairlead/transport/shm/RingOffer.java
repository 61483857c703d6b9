package io.fairlead.transport.shm;

import io.fairlead.spi.EndpointHost;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint says of the ring that it reads: the key of the file, and which ring in it. Its seal is an HMAC by a key of the connection over that, both endpoints'
 * numbers, where the ring lies, and whose offer it is. So an offer that was overheard is worth nothing on another connection, nor in the other direction.
 *
 * <p>The seal also lies in the ring, where its owner has {@linkplain Ring#setSeal put it}. Whoever writes to a ring has first found there the seal of the very offer: a peer
 * cannot offer what is another process's, or for another connection, although it knows the key of the file.
 */
final class RingOffer {
    private static final String LABEL = "shm ring offer";
    private static final String ALGORITHM = "HmacSHA256";
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

    /** Makes and reads the offers of one connection. */
    static final class Sealer {
        private final EndpointHost host;
        private final byte[] secret;

        Sealer(EndpointHost host) {
            this.host = host;
            this.secret = host.pathKey(LABEL);
        }

        /** The offer of this side. */
        RingOffer make(byte[] key, int index) {
            return new RingOffer(key, index, seal(host.isConnector(), key, index));
        }

        /** The offer of the other side; null if it is none, or not the other side's for this connection. */
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
            return RingSlots.isIndex(index) && MessageDigest.isEqual(seal, seal(!host.isConnector(), key, index))
                    ? new RingOffer(key, index, seal)
                    : null;
        }

        private byte[] seal(boolean ofConnector, byte[] key, int index) {
            boolean connector = host.isConnector();
            byte[] claim = ByteBuffer.allocate(TITLE.length + 1 + 4 * Integer.BYTES + Long.BYTES + PLACE_LENGTH)
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
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(new SecretKeySpec(secret, ALGORITHM));
                return Arrays.copyOf(mac.doFinal(claim), Ring.SEAL_LENGTH);
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
            }
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
