package io.fairlead.pubsub.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * What publishers and subscribers send each other. Little-endian throughout.
 *
 * <p>Tags: 4 bits of kind, 12 bits of stream (the subscriber's number for one join of one topic, 0 on control messages), and 32 bits
 * that are not compared: on stream messages the low half of the topic's last sequence number, from which a subscriber knows its backlog at no cost.
 *
 * <p>A stream message is a run of frames: a header of 16 bytes (payload length, frame kind, three zero bytes; sequence number) and
 * the payload, padded with anything to a multiple of 8 bytes. The first frame of a stream is JOINED or REFUSED, the last END. A frame CONTEXT
 * stands before the DATA or LARGE of the same sequence number; it is sent while all subscribers of a topic support it.
 *
 * <p>A publisher offers the regions of its log in frames REGION, one at a time, to subscribers that support them. A subscriber that
 * has mapped one says so by READ; batches in it then travel as a frame PLACE alone, which takes a credit as a batch does, and READ says how many of them have been read.
 */
final class Wire {
    static final int VERSION = 1;
    /** The greatest stream number; the field has 12 bits and 0 is no stream. */
    static final int STREAM_MAX = 4095;

    private static final long KIND_MASK = 0xFL << 44;
    private static final long KIND_CONTROL = 0xBL << 44;
    private static final long KIND_STREAM = 0xCL << 44;
    private static final long KIND_LARGE = 0xDL << 44;
    /** Kind and stream; what is below is information, not address. */
    static final long TAG_MASK = 0xFFFF_0000_0000L;

    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    static final int HEADER_BYTES = 16;
    /** A large message's frame: its header and its length. */
    static final int LARGE_FRAME_BYTES = HEADER_BYTES + 8;
    /** Length of the longest JOINED, REFUSED or END. */
    static final int NOTICE_BYTES_MAX = 4096;
    /** Length of the longest control message. */
    static final int CONTROL_BYTES_MAX = 512;

    static final int FRAME_DATA = 1;
    /** The payload follows in a message of its own, because it does not fit a batch. */
    static final int FRAME_LARGE = 2;

    static final int FRAME_JOINED = 3;
    static final int FRAME_REFUSED = 4;
    static final int FRAME_END = 5;
    /** What the message of the same sequence number brings along. */
    static final int FRAME_CONTEXT = 6;

    /** A memory region of the publisher's, which may hold batches. */
    static final int FRAME_REGION = 7;
    /** Where in such a region a batch is, in a message of its own. */
    static final int FRAME_PLACE = 8;

    /**
     * The sequence number of a frame REFUSED whose reason may pass; it is 0 in others. A subscriber that does not know it takes the refusal as final.
     */
    static final long REFUSED_FOR_NOW = 1;

    static final int CONTROL_SUBSCRIBE = 1;
    static final int CONTROL_CREDIT = 2;
    static final int CONTROL_UNSUBSCRIBE = 3;
    /** How many regions the subscriber has mapped, and how many batches it has read there. */
    static final int CONTROL_READ = 4;

    static final int CREDIT_BYTES = 24;
    static final int UNSUBSCRIBE_BYTES = 8;
    static final int READ_BYTES = 24;
    /** The region's number, and where a batch begins and how long it is. */
    static final int PLACE_BYTES = 24;

    private Wire() {}

    /** The peer sent something that this protocol does not allow. Caught where the endpoint is closed for it. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;
        private final String text;

        Malformed(String message) {
            super(message);
            text = message;
        }

        String text() {
            return text;
        }
    }

    /** Whether a tag is one of these. */
    static boolean isTag(long tag) {
        long kind = tag & KIND_MASK;
        return kind == KIND_CONTROL || kind == KIND_STREAM || kind == KIND_LARGE;
    }

    static long controlTag() {
        return KIND_CONTROL;
    }

    static long streamTag(int stream) {
        return KIND_STREAM | (long) stream << 32;
    }

    static long largeTag(int stream) {
        return KIND_LARGE | (long) stream << 32;
    }

    /** The last sequence number of the topic, from its low half and one that is less than 2^31 away. */
    static long headSequence(long tag, long near) {
        return near + (int) (tag - near);
    }

    static long aligned(long length) {
        return (length + 7) & -8L;
    }

    static long frameBytes(long payloadLength) {
        return HEADER_BYTES + aligned(payloadLength);
    }

    /** The first word of a frame's header. */
    static long word(int kind, int payloadLength) {
        return (long) kind << 32 | payloadLength;
    }

    static void putHeader(MemorySegment segment, long at, int kind, int payloadLength, long sequence) {
        segment.set(LONG, at, word(kind, payloadLength));
        segment.set(LONG, at + 8, sequence);
    }

    /** The payload's length; negative if the peer wrote nonsense. */
    static int payloadLength(long word) {
        return (int) word;
    }

    /** The frame's kind; not one of the constants if any of the reserved bits is set. */
    static int frameKind(long word) {
        return (int) (word >>> 32);
    }

    static void putCredit(MemorySegment segment, int stream, long granted, long consumedSequence) {
        segment.set(INT, 0, CONTROL_CREDIT);
        segment.set(INT, 4, stream);
        segment.set(LONG, 8, granted);
        segment.set(LONG, 16, consumedSequence);
    }

    static void putUnsubscribe(MemorySegment segment, int stream) {
        segment.set(INT, 0, CONTROL_UNSUBSCRIBE);
        segment.set(INT, 4, stream);
    }

    static void putRead(MemorySegment segment, int stream, long mapped, long read) {
        segment.set(INT, 0, CONTROL_READ);
        segment.set(INT, 4, stream);
        segment.set(LONG, 8, mapped);
        segment.set(LONG, 16, read);
    }

    /** Text that a peer sent, checked to be UTF-8. */
    static String text(MemorySegment segment, long at, long length) throws Malformed {
        ByteBuffer bytes = ByteBuffer.wrap(segment.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
        try {
            CharBuffer chars = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(bytes);
            return chars.toString();
        } catch (CharacterCodingException e) {
            throw new Malformed("text is not UTF-8: length=" + length + " bytes");
        }
    }

    static void putBytes(MemorySegment segment, long at, byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, segment, at, bytes.length);
    }
}
