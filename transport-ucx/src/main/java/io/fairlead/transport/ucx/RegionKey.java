package io.fairlead.transport.ucx;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a peer needs to reach a region over UCX. */
final class RegionKey {
    /** UCX allocated the memory, and a mark is behind it. */
    final boolean allocated;
    /** Where the region begins in its owner. */
    final long address;
    /** Where its mark is, from its beginning. */
    final long markOffset;
    /** UCX's own key; empty where UCX does not know of the memory. */
    final byte[] packed;
    /** The owner's mapping, of what UCX allocated. */
    final SharedMapping mapping;
    /** A process of this host and user has made it. */
    final boolean genuine;

    RegionKey(boolean allocated, long address, long markOffset, SharedMapping mapping, byte[] packed) {
        this(allocated, address, markOffset, mapping, packed, true);
    }

    private RegionKey(
            boolean allocated, long address, long markOffset, SharedMapping mapping, byte[] packed, boolean genuine) {
        this.allocated = allocated;
        this.address = address;
        this.markOffset = markOffset;
        this.mapping = mapping;
        this.packed = packed;
        this.genuine = genuine;
    }

    byte[] encode() {
        byte[] bytes = ByteBuffer.allocate(1 + 4 * Long.BYTES + packed.length)
                .put((byte) (allocated ? 1 : 0))
                .putLong(address)
                .putLong(markOffset)
                .putLong(mapping.pid())
                .putLong(mapping.inode())
                .put(packed)
                .array();
        return HostSecret.here().withSignature(bytes);
    }

    /** Null if the bytes are no such key. */
    static @Nullable RegionKey decode(byte[] key) {
        try {
            ByteBuffer in = ByteBuffer.wrap(key, 0, Math.max(key.length - HostSecret.LENGTH, 0));
            boolean allocated = in.get() == 1;
            long address = in.getLong();
            long markOffset = in.getLong();
            SharedMapping mapping = new SharedMapping(in.getLong(), in.getLong());
            byte[] packed = new byte[in.remaining()];
            in.get(packed);
            return new RegionKey(
                    allocated,
                    address,
                    markOffset,
                    mapping,
                    packed,
                    HostSecret.here().signed(key));
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }
}
