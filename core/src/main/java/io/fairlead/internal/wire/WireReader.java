package io.fairlead.internal.wire;

import io.fairlead.FairleadException;
import io.fairlead.internal.names.ShownText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Reads the fields of untrusted bytes. A violation is reported with the field, its value and the limit. */
public final class WireReader {
    private final ByteBuffer bytes;
    private final FairleadException.Reason reason;
    private final String subject;

    /**
     * Starts at the first byte.
     *
     * @param bytes the bytes to read, from position to limit; unchanged
     * @param reason the reason of failures
     * @param subject the name of the data, for failures
     */
    public WireReader(ByteBuffer bytes, FairleadException.Reason reason, String subject) {
        this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        this.reason = reason;
        this.subject = subject;
    }

    public int u8(String field) {
        need(field, Byte.BYTES);
        return Byte.toUnsignedInt(bytes.get());
    }

    public int u16(String field) {
        need(field, Short.BYTES);
        return Short.toUnsignedInt(bytes.getShort());
    }

    public int i32(String field) {
        need(field, Integer.BYTES);
        return bytes.getInt();
    }

    public long i64(String field) {
        need(field, Long.BYTES);
        return bytes.getLong();
    }

    /** Checks a number that was just read. */
    public int within(String field, int value, int min, int max) {
        if (value < min || value > max) {
            throw violation(
                    name(field) + " is out of range: " + field + "=" + value + ", allowed " + min + " to " + max);
        }
        return value;
    }

    /** Reads the number of following elements. */
    public int count(String field, int max) {
        int count = u8(field);
        if (count > max) {
            throw violation("too many " + name(field) + ": count=" + count + ", limit=" + max);
        }
        return count;
    }

    public byte[] bytes(String field, int max) {
        int length = length(field, max);
        byte[] value = new byte[length];
        bytes.get(value);
        return value;
    }

    /** Reads text that is safe to print on one line. */
    public String text(String field, int max) {
        int length = length(field, max);
        ByteBuffer encoded = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(encoded)
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            throw violation(name(field) + " is not UTF-8: length=" + length + " bytes");
        }
        // A peer's name must not forge lines of a log, or reorder their display.
        int control = ShownText.commandAt(text);
        if (control >= 0) {
            throw violation(name(field) + " contains a control character: character=U+"
                    + WireText.hex((short) text.charAt(control)) + ", index=" + control);
        }
        return text;
    }

    /** Reads the name of a transport. */
    public String transportName(String field) {
        String name = text(field, WireLimits.TRANSPORT_NAME);
        if (!WireText.isTransportName(name)) {
            throw violation(name(field) + " is no transport name: " + field + "=\"" + name
                    + "\", allowed 1 to 32 of a-z 0-9 -");
        }
        return name;
    }

    int remaining() {
        return bytes.remaining();
    }

    /** Checks that no bytes follow. */
    public void end() {
        if (bytes.hasRemaining()) {
            throw violation(subject + " is longer than its fields: surplus=" + bytes.remaining() + " bytes");
        }
    }

    public FairleadException violation(String message) {
        return new FairleadException(reason, message);
    }

    private String name(String field) {
        return subject + "." + field;
    }

    private int length(String field, int max) {
        int length = u16(field);
        if (length > max) {
            throw violation(name(field) + " is too long: length=" + length + ", limit=" + max + " bytes");
        }
        need(field, length);
        return length;
    }

    private void need(String field, int count) {
        if (bytes.remaining() < count) {
            throw violation(subject + " is cut short: field=" + field + ", needs=" + count + " bytes, remaining="
                    + bytes.remaining());
        }
    }
}
