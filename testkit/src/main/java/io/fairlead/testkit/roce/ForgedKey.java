package io.fairlead.testkit.roce;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A packed key that says more than its owner did, as somebody who knows the layout could write it: the checksum finds damage, not intent.
 * Whoever unpacks it gets past the checks of the own side, so that the network card of the other has to refuse.
 */
final class ForgedKey {
    private static final int LENGTH_INDEX = 24;
    private static final int COUNT_INDEX = 32;
    private static final int CHECKSUM_LENGTH = 4;

    private ForgedKey() {}

    /**
     * Changes a key.
     *
     * @param packed as the owner made it
     * @param shift by how much the region is said to begin later, in bytes; negative for earlier
     * @param length how long it is said to be
     */
    static byte[] forge(byte[] packed, long shift, long length) {
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
        CRC32C checksum = new CRC32C();
        checksum.update(forged, 0, forged.length - CHECKSUM_LENGTH);
        key.putInt(forged.length - CHECKSUM_LENGTH, (int) checksum.getValue());
        return forged;
    }
}
