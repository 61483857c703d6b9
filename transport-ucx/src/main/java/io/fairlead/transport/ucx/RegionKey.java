package io.fairlead.transport.ucx;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a peer needs to reach a region by its network card. Who signs keys is the core.
 *
 * @param address where the region begins in its owner
 * @param packed UCX's own key; empty where UCX does not know of the memory
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares these.
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

    /** Null if the bytes are no such key. */
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
