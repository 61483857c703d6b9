package io.fairlead.observation;

import io.fairlead.FairleadException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Names and values that are sent along with a message, such as the {@code traceparent} of the sender's tracing.
 * Immutable and thread-safe.
 *
 * <p>A context has at most {@value #ENTRIES_MAX} entries. Names have at most {@value #NAME_MAX} bytes, and the whole context, as
 * {@link #encode()} writes it, has at most {@value #BYTES_MAX}.
 */
public final class MessageContext {
    /** The maximum number of entries. */
    public static final int ENTRIES_MAX = 32;

    /** The maximum length of a name, in bytes. */
    public static final int NAME_MAX = 64;

    /** The maximum size of all entries together: their names and values, three bytes per entry, and one more byte. */
    public static final int BYTES_MAX = 4096;

    /** The context without entries. */
    public static final MessageContext EMPTY = new MessageContext(Map.of());

    private final Map<String, String> entries;

    private MessageContext(Map<String, String> entries) {
        this.entries = entries;
    }

    /**
     * Creates a context from entries, and keeps their order.
     *
     * @param entries values by name; copied. A name is printable ASCII without spaces, a value has no control characters
     * @return the context
     * @throws IllegalArgumentException if a name or value has other characters or a limit is exceeded; the message names it
     */
    public static MessageContext of(Map<String, String> entries) {
        if (entries.isEmpty()) {
            return EMPTY;
        }
        if (entries.size() > ENTRIES_MAX) {
            throw new IllegalArgumentException(
                    "message context has too many entries: count=" + entries.size() + ", limit=" + ENTRIES_MAX);
        }
        long bytes = 1;
        for (Map.Entry<String, String> entry : entries.entrySet()) {
            bytes += 3L + requireName(entry.getKey()).length() + requireValue(entry.getKey(), entry.getValue());
        }
        if (bytes > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "message context is too long: length=" + bytes + ", limit=" + BYTES_MAX + " bytes");
        }
        return new MessageContext(Collections.unmodifiableMap(new LinkedHashMap<>(entries)));
    }

    /**
     * The entries, in their order.
     *
     * @return values by name, unmodifiable
     */
    public Map<String, String> entries() {
        return entries;
    }

    /**
     * The value of one entry.
     *
     * @param name the entry's name, case-sensitive
     * @return the value, or empty if no entry has that name
     */
    public Optional<String> value(String name) {
        return Optional.ofNullable(entries.get(name));
    }

    /**
     * Whether the context has no entries.
     *
     * @return true if it has none
     */
    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /**
     * Encodes the entries. The first byte is the number of entries. Each entry has the length of its name in one byte,
     * the name in ASCII, the length of its value in two bytes, little-endian, and the value in UTF-8.
     *
     * @return 1 to {@value #BYTES_MAX} bytes
     */
    public byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(BYTES_MAX);
        out.put((byte) entries.size());
        entries.forEach((name, value) -> {
            byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
            out.put((byte) name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
            out.put((byte) encoded.length).put((byte) (encoded.length >>> 8)).put(encoded);
        });
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    /**
     * Decodes a context that {@link #encode()} encoded. The bytes may come from an untrusted process.
     *
     * @param segment the memory that holds the bytes
     * @param offset the first byte in the segment
     * @param length the number of bytes
     * @return the context
     * @throws FairleadException {@code PROTOCOL_VIOLATION}, naming the fault, if the bytes are malformed
     * @throws IndexOutOfBoundsException if the range leaves the segment
     */
    public static MessageContext decode(MemorySegment segment, long offset, long length) {
        if (length < 1 || length > BYTES_MAX) {
            throw violation("length=" + length + ", allowed 1 to " + BYTES_MAX + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
        int count = Byte.toUnsignedInt(in.get());
        if (count > ENTRIES_MAX) {
            throw violation("entries=" + count + ", limit=" + ENTRIES_MAX);
        }
        Map<String, String> entries = new LinkedHashMap<>();
        try {
            for (int i = 0; i < count; i++) {
                // Checked before a failure's text, which is logged, contains it.
                String name = requireName(text(in, need(in, 1) ? Byte.toUnsignedInt(in.get()) : -1));
                int valueLength = need(in, 2) ? Byte.toUnsignedInt(in.get()) | Byte.toUnsignedInt(in.get()) << 8 : -1;
                if (entries.put(name, text(in, valueLength)) != null) {
                    throw violation("name twice: name=" + name);
                }
            }
            if (in.hasRemaining()) {
                throw violation("longer than its entries: surplus=" + in.remaining() + " bytes");
            }
            return of(entries);
        } catch (IllegalArgumentException broken) {
            throw violation(String.valueOf(broken.getMessage()));
        }
    }

    private static boolean need(ByteBuffer in, int count) {
        return in.remaining() >= count;
    }

    private static String text(ByteBuffer in, int length) {
        if (length < 0 || !need(in, length)) {
            throw violation("cut short: remaining=" + in.remaining() + " bytes");
        }
        ByteBuffer encoded = in.slice(in.position(), length);
        in.position(in.position() + length);
        try {
            CharBuffer text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(encoded);
            return text.toString();
        } catch (CharacterCodingException notUtf8) {
            throw violation("text is not UTF-8: length=" + length + " bytes");
        }
    }

    private static String requireName(String name) {
        boolean plain = name.chars().allMatch(character -> character > ' ' && character < 0x7F);
        if (name.isEmpty() || name.length() > NAME_MAX || !plain) {
            throw new IllegalArgumentException("name in a message context out of range: length=" + name.length()
                    + ", allowed 1 to " + NAME_MAX + " characters of printable ASCII without spaces");
        }
        return name;
    }

    /** The value's length in bytes. */
    private static int requireValue(String name, String value) {
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("value in a message context holds a control character: name=" + name);
        }
        return value.getBytes(StandardCharsets.UTF_8).length;
    }

    private static FairleadException violation(String what) {
        return new FairleadException(
                FairleadException.Reason.PROTOCOL_VIOLATION, "message context is malformed: " + what);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MessageContext that && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return "MessageContext" + entries;
    }
}
