package io.fairlead.transport.ucx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The layout of UCX's keys of regions that it has allocated in System V shared memory. A key is a map of the owner's
 * memory domains, a memory type, and for each domain a length and its part. The part for System V has the number of the
 * segment and its address in the owner; all other parts are constant for a configuration.
 *
 * <p>UCX gets no length and checks nothing of a key. A part that it gives to another domain than the one that wrote it
 * can end the process. So a peer's key must have the layout of this process's own keys.
 */
final class SharedKeyLayout {
    private static final int AT_PARTS = Long.BYTES + 1;
    /** {@code uct_sysv_packed_rkey_t}, packed: a number and an address. */
    private static final int PART_LENGTH = Integer.BYTES + Long.BYTES;

    private final byte[] sample;
    /** The position of the part for System V. */
    private final int at;

    private SharedKeyLayout(byte[] sample, int at) {
        this.sample = sample;
        this.at = at;
    }

    /** The layout of a key of this process; null if UCX has not allocated its memory in System V shared memory. */
    static @Nullable SharedKeyLayout of(byte[] key) {
        if (key.length < AT_PARTS) {
            return null;
        }
        int found = 0;
        int next = AT_PARTS;
        for (int left = Long.bitCount(in(key).getLong(0)); left > 0; left--) {
            if (next >= key.length) {
                return null;
            }
            int length = Byte.toUnsignedInt(key[next++]);
            if (length == PART_LENGTH) {
                if (found != 0) {
                    return null;
                }
                found = next;
            }
            next += length;
        }
        return found == 0 || next > key.length ? null : new SharedKeyLayout(key.clone(), found);
    }

    /** Whether a key has this layout. */
    boolean fits(byte[] key) {
        int end = at + PART_LENGTH;
        return key.length == sample.length
                && Arrays.equals(key, 0, at, sample, 0, at)
                && Arrays.equals(key, end, key.length, sample, end, key.length);
    }

    /** The number of the segment of a key that {@linkplain #fits fits}. */
    int segment(byte[] key) {
        return in(key).getInt(at);
    }

    /** The address of the segment in the owner. */
    long address(byte[] key) {
        return in(key).getLong(at + Integer.BYTES);
    }

    private static ByteBuffer in(byte[] key) {
        return ByteBuffer.wrap(key).order(ByteOrder.nativeOrder());
    }
}
