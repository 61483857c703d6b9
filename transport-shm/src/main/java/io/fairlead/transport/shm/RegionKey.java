package io.fairlead.transport.shm;

import io.fairlead.spi.HmacKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The data with which a peer gets a region's descriptor from its {@link RegionServer}, and the packets for that. The
 * secret itself is in no packet: only who has the key and the connection can ask.
 *
 * @param number the region's number at its server
 * @param secret random bits
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record RegionKey(long number, byte[] secret) {
    static final int SECRET_LENGTH = 16;
    static final byte[] NO_SECRET = new byte[0];
    private static final int LENGTH = Long.BYTES + SECRET_LENGTH;

    private static final byte[] ASKED = "fairlead region".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ANSWERED = "fairlead region passed".getBytes(StandardCharsets.US_ASCII);
    private static final int NONCE_LENGTH = 16;
    private static final int SIGNED_LENGTH = 2 * Long.BYTES + NONCE_LENGTH;
    static final int REQUEST_LENGTH = SIGNED_LENGTH + HmacKey.LENGTH_MAX;
    static final int ANSWER_LENGTH = HmacKey.LENGTH_MAX;

    byte[] bytes() {
        return ByteBuffer.allocate(LENGTH).putLong(number).put(secret).array();
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "RegionKey[number=" + number + "]";
    }

    /** Null if the bytes are malformed. */
    static @Nullable RegionKey decode(byte[] key) {
        return key.length == LENGTH
                ? new RegionKey(ByteBuffer.wrap(key).getLong(), Arrays.copyOfRange(key, Long.BYTES, LENGTH))
                : null;
    }

    /**
     * A request for this region.
     *
     * @param connection the number of the connection at the server
     * @param key the connection's
     */
    byte[] request(long connection, HmacKey key) {
        byte[] signed = ByteBuffer.allocate(SIGNED_LENGTH)
                .putLong(connection)
                .putLong(number)
                .put(SocketId.randomBytes(NONCE_LENGTH))
                .array();
        return ByteBuffer.allocate(REQUEST_LENGTH)
                .put(signed)
                .put(key.sign(join(ASKED, signed, secret)))
                .array();
    }

    /** The connection that a request of the right length names. */
    static long connection(byte[] request) {
        return ByteBuffer.wrap(request).getLong();
    }

    /** The region that a request of the right length names. */
    static long number(byte[] request) {
        return ByteBuffer.wrap(request).getLong(Long.BYTES);
    }

    /** Whether a request of the right length was signed with both secrets. */
    static boolean isSigned(byte[] request, HmacKey key, byte[] secret) {
        return key.verify(
                join(ASKED, Arrays.copyOf(request, SIGNED_LENGTH), secret),
                Arrays.copyOfRange(request, SIGNED_LENGTH, REQUEST_LENGTH));
    }

    /** The answer to a request, with which the descriptor goes. */
    static byte[] answer(byte[] request, HmacKey key) {
        return key.sign(join(ANSWERED, request, NO_SECRET));
    }

    private static byte[] join(byte[] title, byte[] message, byte[] secret) {
        return ByteBuffer.allocate(title.length + message.length + secret.length)
                .put(title)
                .put(message)
                .put(secret)
                .array();
    }
}
