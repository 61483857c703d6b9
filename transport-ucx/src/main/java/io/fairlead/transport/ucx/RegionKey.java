package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostSecret;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a peer needs to reach a region over UCX. */
final class RegionKey {
    /** Where the region begins in its owner. */
    final long address;
    /** Where its mark is, from its beginning. */
    final long markOffset;
    /** By which processes of this host map the region and its mark; empty where they cannot. */
    final byte[] file;
    /** UCX's own key; empty where UCX does not know of the memory. */
    final byte[] packed;
    /** A process of this host and user has made it. */
    final boolean genuine;

    RegionKey(long address, long markOffset, byte[] file, byte[] packed) {
        this(address, markOffset, file, packed, true);
    }

    private RegionKey(long address, long markOffset, byte[] file, byte[] packed, boolean genuine) {
        this.address = address;
        this.markOffset = markOffset;
        this.file = file;
        this.packed = packed;
        this.genuine = genuine;
    }

    byte[] encode() {
        byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES + file.length + packed.length)
                .putLong(address)
                .putLong(markOffset)
                .putInt(file.length)
                .put(file)
                .put(packed)
                .array();
        return HostSecret.here().withSignature(bytes);
    }

    /** Null if the bytes are no such key. */
    static @Nullable RegionKey decode(byte[] key) {
        try {
            ByteBuffer in = ByteBuffer.wrap(key, 0, Math.max(key.length - HostSecret.LENGTH, 0));
            long address = in.getLong();
            long markOffset = in.getLong();
            int fileLength = in.getInt();
            if (fileLength < 0 || fileLength > in.remaining()) {
                return null;
            }
            byte[] file = new byte[fileLength];
            in.get(file);
            byte[] packed = new byte[in.remaining()];
            in.get(packed);
            return new RegionKey(
                    address, markOffset, file, packed, HostSecret.here().signed(key));
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }
}
