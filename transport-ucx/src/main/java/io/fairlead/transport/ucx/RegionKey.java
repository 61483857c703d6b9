package io.fairlead.transport.ucx;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The data with which a peer accesses a region by its network card. The core signs keys.
 *
 * @param address the address of the region in its owner
 * @param packed UCX's own key; empty if UCX has not registered the memory
 */
@SuppressWarnings("ArrayRecordComponent") // They are never compared.
record RegionKey(long address, byte[] packed) {
    private static final RegionKey NONE = new RegionKey(0, new byte[0]);

    /** The key of a region that its owner serves. */
    static RegionKey none() {
        return NONE;
    }

    byte[] encode() {
        return packed.length == 0
                ? packed
                : ByteBuffer.allocate(Long.BYTES + packed.length)
                        .putLong(address)
                        .put(packed)
                        .array();
    }

    /** Null if the bytes are malformed. */
    static @Nullable RegionKey decode(byte[] key) {
        if (key.length == 0) {
            return NONE;
        }
        if (key.length <= Long.BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(key);
        long address = in.getLong();
        byte[] packed = new byte[in.remaining()];
        in.get(packed);
        return new RegionKey(address, packed);
    }
}
