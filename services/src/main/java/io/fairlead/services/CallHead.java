package io.fairlead.services;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bytes before an argument: one of version and kind, one with the length of the codec's name, and the name. A service compares them before it decodes
 * anything, so that two codecs, or two shapes of a method, end in a text instead of wrong objects. Numbers are big-endian.
 */
final class CallHead {
    /** Behind the head is the argument; the reply is the result. */
    static final int CALL = 0x11;
    /** Behind the head is the argument; the reply is the stream's number. */
    static final int OPEN = 0x12;
    /** Behind the head are the stream's number and how many more items its subscriber takes. The reply is items, when there are any. */
    static final int NEXT = 0x13;
    /** As {@link #NEXT}, while another request of the stream waits for items; the reply is empty. */
    static final int CREDIT = 0x14;
    /** Behind the head is the stream's number. The reply is empty. */
    static final int CANCEL = 0x15;

    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int NAME_MAX = 32;
    private static final int FIXED = 2;

    private final int kind;
    private final byte[] bytes;

    CallHead(int kind, PayloadCodec codec) {
        String name = codec.name();
        boolean printable = name.chars().allMatch(each -> each > ' ' && each < 0x7F);
        if (name.isEmpty() || name.length() > NAME_MAX || !printable) {
            throw new IllegalArgumentException("name of a codec out of range: name=" + name + ", allowed 1 to "
                    + NAME_MAX + " printable ASCII characters");
        }
        this.kind = kind;
        this.bytes = new byte[FIXED + name.length()];
        bytes[0] = (byte) kind;
        bytes[1] = (byte) name.length();
        System.arraycopy(name.getBytes(StandardCharsets.US_ASCII), 0, bytes, FIXED, name.length());
    }

    /** A copy of it, with room behind it. */
    byte[] with(int room) {
        return Arrays.copyOf(bytes, bytes.length + room);
    }

    int length() {
        return bytes.length;
    }

    /** Whether a message is of this kind, whatever its codec. */
    boolean isKindOf(MemorySegment message) {
        return message.byteSize() >= FIXED && message.get(ValueLayout.JAVA_BYTE, 0) == (byte) kind;
    }

    /** What is behind this head, with which the message must begin. */
    MemorySegment behind(MemorySegment message) {
        MemorySegment own = MemorySegment.ofArray(bytes);
        if (message.byteSize() < bytes.length
                || MemorySegment.mismatch(own, 0, bytes.length, message, 0, bytes.length) >= 0) {
            throw mismatch(message);
        }
        return message.asSlice(bytes.length);
    }

    private RequestException mismatch(MemorySegment message) {
        if (!isKindOf(message)) {
            return new RequestException(
                    RequestStatus.INVALID_ARGUMENT,
                    "the method is " + (kind == CALL ? "no stream" : "a stream")
                            + " at the service and the request is of another kind; use one interface on both sides");
        }
        int said = message.get(ValueLayout.JAVA_BYTE, 1) & 0xFF;
        int length = (int) Math.min(Math.min(said, NAME_MAX), message.byteSize() - FIXED);
        byte[] named = message.asSlice(FIXED, length).toArray(ValueLayout.JAVA_BYTE);
        return new RequestException(
                RequestStatus.INVALID_ARGUMENT,
                "the codecs differ: caller=" + new String(named, StandardCharsets.US_ASCII) + ", service="
                        + new String(bytes, FIXED, bytes.length - FIXED, StandardCharsets.US_ASCII)
                        + "; use one codec on both sides");
    }
}
