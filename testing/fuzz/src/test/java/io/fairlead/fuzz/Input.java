package io.fairlead.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Takes an input apart from its front; behind its end there are zeroes. */
public final class Input {
    private final byte[] bytes;
    private int at;

    /** Starts at the front. */
    public Input(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The next byte, 0 to 255. */
    public int u8() {
        return at < bytes.length ? Byte.toUnsignedInt(bytes[at++]) : 0;
    }

    /** The next two bytes, 0 to 65535. */
    public int u16() {
        return u8() | u8() << 8;
    }

    /** The next eight bytes. */
    public long i64() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            value |= (long) u8() << shift;
        }
        return value;
    }

    /** The next bytes, or fewer where the input ends. */
    public byte[] bytes(int count) {
        int end = Math.min(bytes.length, at + count);
        byte[] taken = Arrays.copyOfRange(bytes, at, end);
        at = end;
        return taken;
    }

    /** What is left. */
    public byte[] rest() {
        return bytes(bytes.length - at);
    }

    /** Whether something is left. */
    public boolean hasMore() {
        return at < bytes.length;
    }

    /** An input with something before it. */
    public static byte[] behind(int first, byte[] rest) {
        return ByteBuffer.allocate(1 + rest.length).put((byte) first).put(rest).array();
    }

    /** Words as they are in a stream. */
    public static byte[] words(long... words) {
        ByteBuffer out = ByteBuffer.allocate(Long.BYTES * words.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            out.putLong(word);
        }
        return out.array();
    }

    /** One behind the other. */
    public static byte[] join(byte[]... parts) {
        ByteBuffer out = ByteBuffer.allocate(
                Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            out.put(part);
        }
        return out.array();
    }
}
