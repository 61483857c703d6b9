package io.fairlead.internal.wire;

import io.fairlead.internal.names.ShownText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes the fields that {@link WireReader} reads. A value that the reader would refuse violates a rule of this process
 * and throws {@link IllegalArgumentException}; text for people is truncated to its limit instead.
 */
public final class WireWriter {
    private final String subject;
    private ByteBuffer bytes = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

    public WireWriter(String subject) {
        this.subject = subject;
    }

    public WireWriter u8(int value) {
        room(Byte.BYTES).put((byte) value);
        return this;
    }

    public WireWriter u16(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    public WireWriter i32(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    public WireWriter i64(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    /** Writes an unsigned number of one or two bytes that has a range. */
    public WireWriter u8(String field, int value, int min, int max) {
        return u8(within(field, value, min, max));
    }

    public WireWriter u16(String field, int value, int min, int max) {
        return u16(within(field, value, min, max));
    }

    public WireWriter i32(String field, int value, int min, int max) {
        return i32(within(field, value, min, max));
    }

    public WireWriter bytes(String field, byte[] value, int max) {
        if (value.length > max) {
            throw new IllegalArgumentException(
                    subject + "." + field + " is too long: length=" + value.length + ", limit=" + max + " bytes");
        }
        u16(value.length);
        room(value.length).put(value);
        return this;
    }

    public WireWriter text(String field, String value, int max) {
        int control = ShownText.commandAt(value);
        if (control >= 0) {
            throw new IllegalArgumentException(subject + "." + field + " contains a control character: character=U+"
                    + WireText.hex((short) value.charAt(control)) + ", index=" + control);
        }
        return bytes(field, value.getBytes(StandardCharsets.UTF_8), max);
    }

    public WireWriter transportName(String field, String value) {
        if (!WireText.isTransportName(value)) {
            throw new IllegalArgumentException(subject + "." + field + " is no transport name: " + field + "=\"" + value
                    + "\", allowed 1 to 32 of a-z 0-9 -");
        }
        return text(field, value, WireLimits.TRANSPORT_NAME);
    }

    /** Writes text for people: truncated to its limit, with spaces for control characters. */
    public WireWriter prose(String field, String value, int max) {
        return bytes(field, WireText.cut(value, max), max);
    }

    public int length() {
        return bytes.position();
    }

    /** The written bytes, from position 0 to the limit, little-endian. */
    public ByteBuffer finish() {
        return bytes.flip();
    }

    private int within(String field, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(subject + "." + field + " is out of range: " + field + "=" + value
                    + ", allowed " + min + " to " + max);
        }
        return value;
    }

    private ByteBuffer room(int count) {
        if (bytes.remaining() < count) {
            int capacity = Math.max(bytes.capacity() * 2, bytes.position() + count);
            bytes = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN).put(bytes.flip());
        }
        return bytes;
    }
}
