package io.fairlead.pubsub.internal;

import io.fairlead.spi.LayerWorker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * What publishers and subscribers send each other, in active messages of one number. Little-endian throughout.
 *
 * <p>Every header begins with the kind of the message and the stream (32 bits each). A stream is the subscriber's number for one join of one topic.
 *
 * <p>A publisher's header has one word more. The first message of a stream is JOINED or REFUSED, the last END. A BATCH in between has the topic's
 * last sequence number, from which a subscriber knows its backlog, and a run of frames as its payload. A frame is a header of 16 bytes (payload length, frame kind,
 * three zero bytes; sequence number) and the payload, padded with anything to a multiple of 8 bytes. A frame CONTEXT stands before the DATA or LARGE of
 * the same sequence number; it is sent while all subscribers of a topic support it. A message that fits no batch travels as a BATCH of its own, whose
 * last frame, LARGE, has the length and then the message.
 *
 * <p>A publisher offers the regions of its log by REGION, one at a time, to subscribers that support them. A subscriber that has mapped one
 * says so by READ; batches in it then travel as a PLACE, which takes a credit as a batch does, and READ says how many of them have been read.
 *
 * <p>A subscriber's header has two words more. Only a SUBSCRIBE has a payload.
 */
final class Wire {
    static final int VERSION = 2;
    /** The handler number of all these messages. */
    static final int HANDLER = LayerWorker.LAYER_HANDLER_MIN + 1;
    /** The greatest stream number; 0 is no stream. */
    static final int STREAM_MAX = 4095;

    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    // Kinds of a publisher's messages.

    static final int JOINED = 1;
    /** The value is 0, or {@link #REFUSED_FOR_NOW}. */
    static final int REFUSED = 2;

    static final int BATCH = 3;
    /** Where in a region a batch is: the region's number, where the batch begins and how long it is, in the header. */
    static final int PLACE = 4;
    /** A memory region of the publisher's, which may hold batches. */
    static final int REGION = 5;

    /** The value is the topic's last sequence number. */
    static final int END = 6;

    // Kinds of a subscriber's messages.

    static final int SUBSCRIBE = 1;
    /** How many batches it permits in all, and the last sequence number that it has consumed. */
    static final int CREDIT = 2;

    static final int UNSUBSCRIBE = 3;
    /** How many regions it has mapped, and how many batches it has read there. */
    static final int READ = 4;

    /** The header of a publisher's message. */
    static final int HEAD_BYTES = 16;

    static final int PLACE_HEAD_BYTES = HEAD_BYTES + 24;
    /** The header of a subscriber's message. */
    static final int CONTROL_BYTES = 24;

    /** The payload of the longest JOINED, REFUSED, REGION or END. */
    static final int NOTICE_BYTES_MAX = 4096;
    /** The payload of the longest SUBSCRIBE. */
    static final int JOIN_BYTES_MAX = 512;

    /** The header of a frame. */
    static final int HEADER_BYTES = 16;
    /** A large message's frame up to the message: its header and its length. */
    static final int LARGE_FRAME_BYTES = HEADER_BYTES + 8;

    static final int FRAME_DATA = 1;
    /** A message that does not fit a batch. Its length and the message follow. */
    static final int FRAME_LARGE = 2;
    /** What the message of the same sequence number brings along. */
    static final int FRAME_CONTEXT = 3;

    /** The value of a REFUSED whose reason may pass. */
    static final long REFUSED_FOR_NOW = 1;

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

    /** Writes what every header of a publisher's begins with. */
    static void putHead(MemorySegment header, int kind, int stream, long value) {
        header.set(INT, 0, kind);
        header.set(INT, 4, stream);
        header.set(LONG, 8, value);
    }

    /** Writes the header of a subscriber's message. */
    static void putControl(MemorySegment header, int kind, int stream, long first, long second) {
        putHead(header, kind, stream, first);
        header.set(LONG, 16, second);
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
