package io.fairlead.node.internal.frame;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.names.ShownText;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.spi.LayerWorker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * How nodes send requests and their answers: each in one active message, whose header has the kind and the id of the request.
 *
 * <p>The id has 16 bits for the request's slot in its sender's table, and 6 bits that count the uses of that slot. So an answer finds its request
 * without a search. The header of a request goes on with the service's tag, the context's length and the nanoseconds until the deadline. Its payload is the
 * application's, and the context. The header of a reply has a context's length too, and its payload is the application's, and the context. The payload of a refusal is a status, whether a handler has seen the
 * request, and a text. The others have none, and the id of those about leaving is 0. Each request is answered by one reply or refusal, a cancelled one included.
 */
@SuppressWarnings("EnumOrdinal") // The order of statuses is what peers exchange.
public final class RequestFrame {
    /** The flag that a node's handler adds to {@link io.fairlead.spi.LayerHandler#features()} for requests. */
    public static final int FEATURE = 2;

    /** The handler number of all these messages. */
    public static final int HANDLER = LayerWorker.LAYER_HANDLER_MIN;

    /** A message that is none of the others. */
    public static final int MALFORMED = -1;

    public static final int REQUEST = 0;
    public static final int REPLY = 1;
    public static final int REFUSAL = 2;
    public static final int CANCEL = 3;
    /** The sender leaves: the receiver is to send it no further request over this connection, and to confirm that. */
    public static final int LEAVE = 4;
    /** The confirmation: all requests of its sender have come before it. */
    public static final int LEAVE_CONFIRMED = 5;

    /** Slots of a table. */
    public static final int SLOTS = 1 << 16;

    /** The header of all but a request. */
    public static final int HEADER_LENGTH = 8;

    public static final int REQUEST_HEADER_LENGTH = 24;
    /** The longest deadline. A peer that sends a longer one violates the protocol. */
    public static final long TIME_LEFT_MAX_NS = 86_400_000_000_000L;

    static final int TEXT_MAX = 1024;
    public static final int REFUSAL_LENGTH_MAX = 4 + TEXT_MAX;

    private static final int KIND_SHIFT = 22;
    /** What a reply has beside its context's length and its id. */
    private static final long KIND_BITS = (1L << 48) - 1 & -1L << KIND_SHIFT;

    private static final int GENERATION_BITS = 6;
    private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;
    private static final int ID_MASK = (1 << KIND_SHIFT) - 1;
    private static final int SERVICE_OFFSET = 8;
    private static final int TIME_OFFSET = 16;
    private static final int CONTEXT_SHIFT = 48;
    private static final long SERVICE_MASK = (1L << CONTEXT_SHIFT) - 1;
    private static final byte NOT_SEEN = 1;
    private static final int TEXT_OFFSET = 4;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final RequestStatus[] STATUSES = RequestStatus.values();

    private RequestFrame() {}

    // Ids.

    public static int slot(int id) {
        return id >>> GENERATION_BITS;
    }

    public static int id(int slot, int generation) {
        return (slot << GENERATION_BITS) | (generation & GENERATION_MASK);
    }

    // Headers.

    /** Writes the header of a reply. */
    public static void writeReplyHeader(MemorySegment frame, int id, int contextLength) {
        frame.set(LONG, 0, (long) contextLength << CONTEXT_SHIFT | (long) REPLY << KIND_SHIFT | id);
    }

    /** Writes the header of all but a request. */
    public static void writeHeader(MemorySegment frame, int kind, int id) {
        frame.set(LONG, 0, ((long) kind << KIND_SHIFT) | id);
    }

    public static void writeRequestHeader(
            MemorySegment frame, int id, long service, int contextLength, long timeLeftNs) {
        writeHeader(frame, REQUEST, id);
        frame.set(LONG, SERVICE_OFFSET, service | ((long) contextLength << CONTEXT_SHIFT));
        frame.set(LONG, TIME_OFFSET, timeLeftNs);
    }

    /** The context's length in a reply. */
    public static int replyContextLength(MemorySegment frame) {
        return (int) (frame.get(LONG, 0) >>> CONTEXT_SHIFT);
    }

    /** What a message is, by its header; {@link #MALFORMED} if it has none that nodes write. */
    public static int kind(MemorySegment frame, int headerLength) {
        if (headerLength != HEADER_LENGTH && headerLength != REQUEST_HEADER_LENGTH) {
            return MALFORMED;
        }
        long word = frame.get(LONG, 0);
        long kind = (word & KIND_BITS) == (long) REPLY << KIND_SHIFT ? REPLY : word >>> KIND_SHIFT;
        boolean known = headerLength == HEADER_LENGTH ? kind > REQUEST && kind <= LEAVE_CONFIRMED : kind == REQUEST;
        return known ? (int) kind : MALFORMED;
    }

    public static int id(MemorySegment frame) {
        return (int) frame.get(LONG, 0) & ID_MASK;
    }

    public static long service(MemorySegment frame) {
        return frame.get(LONG, SERVICE_OFFSET) & SERVICE_MASK;
    }

    public static int contextLength(MemorySegment frame) {
        return (int) (frame.get(LONG, SERVICE_OFFSET) >>> CONTEXT_SHIFT);
    }

    public static long timeLeftNs(MemorySegment frame) {
        return frame.get(LONG, TIME_OFFSET);
    }

    // Refusals.

    /** Writes a refusal of at most {@link #REFUSAL_LENGTH_MAX} bytes, and returns its length. */
    public static int writeRefusal(MemorySegment frame, RequestStatus status, boolean seen, String text) {
        ByteBuffer encoded = ByteBuffer.allocate(TEXT_MAX);
        // Stops before a character that does not fit. What cannot be encoded becomes a question mark.
        CoderResult _ = StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)
                .encode(CharBuffer.wrap(ShownText.line(text)), encoded, true);
        encoded.flip();
        int length = encoded.remaining();
        frame.set(ValueLayout.JAVA_BYTE, 0, (byte) status.ordinal());
        frame.set(ValueLayout.JAVA_BYTE, 1, seen ? 0 : NOT_SEEN);
        frame.set(SHORT, 2, (short) length);
        MemorySegment.copy(MemorySegment.ofBuffer(encoded), 0, frame, TEXT_OFFSET, length);
        return TEXT_OFFSET + length;
    }

    /** What a refusal says. */
    public static RequestException readRefusal(MemorySegment frame, long length) {
        if (length < TEXT_OFFSET) {
            throw violation("length of a refusal=" + length + ", allowed 4 to " + REFUSAL_LENGTH_MAX + " bytes");
        }
        int code = frame.get(ValueLayout.JAVA_BYTE, 0);
        int seen = frame.get(ValueLayout.JAVA_BYTE, 1);
        int textLength = frame.get(SHORT, 2);
        if (code <= 0 || code >= STATUSES.length) {
            throw violation("status=" + code + ", allowed 1 to " + (STATUSES.length - 1));
        }
        if (seen != 0 && seen != NOT_SEEN) {
            throw violation("flags=" + seen + ", allowed 0 to 1");
        }
        if (textLength != length - TEXT_OFFSET) {
            throw violation("textLength=" + textLength + " in a refusal of length=" + length + " bytes");
        }
        String text = text(frame, textLength);
        return seen == NOT_SEEN
                ? RequestException.beforeHandler(STATUSES[code], text)
                : new RequestException(STATUSES[code], text);
    }

    private static String text(MemorySegment frame, int length) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(frame.asSlice(TEXT_OFFSET, length).toArray(ValueLayout.JAVA_BYTE)))
                    .toString();
        } catch (CharacterCodingException malformed) {
            throw violation("text is not UTF-8");
        }
        if (ShownText.commandAt(text) >= 0) {
            throw violation("text with control characters");
        }
        return text;
    }

    public static FairleadException violation(String what) {
        return new FairleadException(Reason.PROTOCOL_VIOLATION, "frame of a request is malformed: " + what);
    }
}
