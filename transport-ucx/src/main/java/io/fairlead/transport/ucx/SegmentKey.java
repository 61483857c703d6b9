package io.fairlead.transport.ucx;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The data with which a peer of this host maps a region. The core signs keys.
 *
 * @param number of the System V segment
 * @param mark random bits that the segment has behind the region while that is open. In another namespace the number is
 *     another segment's, and in this one it may be later
 */
record SegmentKey(int number, long mark) {
    byte[] encode() {
        return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                .putInt(number)
                .putLong(mark)
                .array();
    }

    /** Null if the bytes are malformed. */
    static @Nullable SegmentKey decode(byte[] key) {
        ByteBuffer in = ByteBuffer.wrap(key);
        return key.length == Integer.BYTES + Long.BYTES ? new SegmentKey(in.getInt(), in.getLong()) : null;
    }
}
