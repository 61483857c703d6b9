package io.fairlead.testkit.roce;

import io.fairlead.Endpoint;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A packed key that says more than its owner did, as a peer could write it: every peer has the secret by which keys of the connection are signed, since
 * it checks signatures with it. Whoever unpacks the key gets past the checks of the own side, so that the network card of the other has to refuse.
 */
final class ForgedKey {
    private static final int LENGTH_INDEX = 24;
    private static final int COUNT_INDEX = 48;
    private static final int CHECKSUM_LENGTH = 4;
    private static final int SIGNATURE_LENGTH = 16;

    private ForgedKey() {}

    /**
     * Changes a key and signs it again.
     *
     * @param endpoint whose peer has made it
     * @param packed as the owner made it
     * @param shift by how much the region is said to begin later, in bytes; negative for earlier
     * @param length how long it is said to be
     */
    static byte[] forge(Endpoint endpoint, byte[] packed, long shift, long length) {
        byte[] forged = packed.clone();
        ByteBuffer key = ByteBuffer.wrap(forged).order(ByteOrder.LITTLE_ENDIAN);
        key.putLong(LENGTH_INDEX, length);
        int index = COUNT_INDEX + 1;
        for (int i = key.get(COUNT_INDEX); i > 0; i--) {
            int nameLength = key.getShort(index);
            String transport = new String(forged, index + Short.BYTES, nameLength, StandardCharsets.UTF_8);
            index += Short.BYTES + nameLength;
            if (transport.equals("ucx")) {
                // Where the region begins; this part is written by another hand.
                ByteBuffer part = key.slice(index + Short.BYTES, Long.BYTES).order(ByteOrder.BIG_ENDIAN);
                part.putLong(0, part.getLong(0) + shift);
            }
            index += Short.BYTES + Short.toUnsignedInt(key.getShort(index));
        }
        int signed = forged.length - CHECKSUM_LENGTH - SIGNATURE_LENGTH;
        key.put(signed, signature(endpoint, forged, signed));
        CRC32C checksum = new CRC32C();
        checksum.update(forged, 0, forged.length - CHECKSUM_LENGTH);
        key.putInt(forged.length - CHECKSUM_LENGTH, (int) checksum.getValue());
        return forged;
    }

    /** The engine signs nobody else's keys, but it has the peer's secret, as has whoever changes the engine. */
    private static byte[] signature(Endpoint endpoint, byte[] message, int length) {
        try {
            Method secretOf = endpoint.getClass().getDeclaredMethod("peerSecret");
            secretOf.setAccessible(true);
            Object secret = secretOf.invoke(endpoint);
            Method sign = secret.getClass().getDeclaredMethod("sign", byte[].class, int.class);
            sign.setAccessible(true);
            return (byte[]) sign.invoke(secret, message, length);
        } catch (ReflectiveOperationException changed) {
            throw new IllegalStateException("the engine keeps the peer's secret elsewhere by now", changed);
        }
    }
}
