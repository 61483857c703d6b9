package io.fairlead.services;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Bytes that grow up to a limit: a head, and behind it what coders write. For one thread. */
final class PayloadBuffer extends OutputStream {
    private static final int FIRST = 256;

    private final int max;
    private byte[] bytes;
    private int length;
    private boolean overflowed;

    /**
     * Creates a buffer with a head or without.
     *
     * @param max how many bytes coders may write behind it
     */
    PayloadBuffer(@Nullable CallHead head, int max) {
        this.bytes = head == null ? new byte[FIRST] : head.with(FIRST);
        this.length = head == null ? 0 : head.length();
        this.max = (int) Math.min(Integer.MAX_VALUE - 16, (long) max + length);
    }

    /** Whether a coder has written more than fits. What it throws may hide that. */
    boolean isOverflowed() {
        return overflowed;
    }

    MemorySegment segment() {
        return MemorySegment.ofArray(bytes).asSlice(0, length);
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public void write(int value) throws IOException {
        reserve(1);
        bytes[length++] = (byte) value;
    }

    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, source.length);
        reserve(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    private void reserve(int count) throws IOException {
        if (count > max - length) {
            overflowed = true;
            throw new IOException("payload exceeds its limit: limit=" + max + " bytes");
        }
        if (count > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(max, Math.max(bytes.length * 2L, (long) length + count)));
        }
    }
}
