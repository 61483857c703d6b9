package io.fairlead.transport.tcp;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.served.ServedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The frames of an endpoint's byte stream, consecutive and without padding.
 *
 * <p>A frame is a header of 8-byte words, little-endian, and a payload. The first word is the same for all:
 *
 * <pre>
 *  bits 0-7   type
 *  bits 8-31  0
 *  bits 32-63 length of the payload in bytes
 * </pre>
 *
 * <p>Types below {@link ServedMessage#KIND_END} are messages of remote memory access, whose first word also has flags.
 * The further words of the others depend on the type ({@code C} is the side that requests, {@code S} the side that
 * answers):
 *
 * <pre>
 *  type           words                                         payload
 *  EAGER          tag                                           the message, up to the agreed eagerMax
 *  EAGER_SYNC     tag, id of C                                  the message; MATCHED answers
 *  ANNOUNCE       tag, id of C, length                          none; a message longer than eagerMax; PULL answers
 *  PULL           id of C, id of S, bytes wanted                none; 0 bytes and id 0 if the receive has no capacity
 *  DATA           id of S                                       the next bytes of a pulled message
 *  MATCHED        id of C                                       none
 *  CONTROL                                                      a control frame of the core
 *  ACTIVE         target                                        header and payload of an active message, the payload up to
 *                                                               eagerMax
 *  ACTIVE_ANNOUNCE target, id of C, length                      the header; a payload longer than eagerMax; PULL answers
 * </pre>
 *
 * <p>The target of an active message has the handler number in bits 0 to 7 and the header's length in bits 8 to 15; the
 * other bits are 0.
 *
 * <p>Each side chooses its own ids, which are never 0 and fit 32 bits. At most {@link #ASKED_MAX} messages and as many
 * operations on remote memory of one side wait for answers at a time, which bounds the other side's memory for them.
 * Large transfers are split into frames of at most {@link #CHUNK_MAX} bytes. Frames of other transfers may come between
 * them; the frames of one transfer are in order.
 *
 * <p>If either side requests checksums, the stream of frames is split into the records of
 * {@link ChecksummedConnection}.
 */
final class TcpFrame {
    /** Changes whenever a peer with an older version would misunderstand the frames. */
    static final String VERSION = "5";

    static final int EAGER = ServedMessage.KIND_END;
    static final int EAGER_SYNC = EAGER + 1;
    static final int ANNOUNCE = EAGER + 2;
    static final int PULL = EAGER + 3;
    static final int DATA = EAGER + 4;
    static final int MATCHED = EAGER + 5;
    static final int CONTROL = EAGER + 6;
    static final int ACTIVE = EAGER + 7;
    static final int ACTIVE_ANNOUNCE = EAGER + 8;

    static final int ASKED_MAX = 8192;
    static final int CHUNK_MAX = 1 << 20;
    static final int CONTROL_MAX = 4096;
    static final long ID_MAX = 0xFFFF_FFFFL;

    static final int HEADER_MIN = 8;
    static final int HEADER_MAX = ServedMessage.HEADER_MAX;

    private static final String[] NAMES = {
        "EAGER", "EAGER_SYNC", "ANNOUNCE", "PULL", "DATA", "MATCHED", "CONTROL", "ACTIVE", "ACTIVE_ANNOUNCE"
    };
    private static final byte[] HEADERS = {16, 24, 32, 32, 16, 16, 8, 16, 32};
    private static final int NUMBER_BITS = 8;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final long TARGET_MAX = 0xFFFF;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private TcpFrame() {}

    /** Length of the header of a frame that is not a message of remote memory access. */
    static int header(int type) {
        return HEADERS[type - EAGER];
    }

    static String name(int type) {
        return NAMES[type - EAGER];
    }

    /** Whether a type is that of a message of remote memory access. */
    static boolean isOfMemory(int type) {
        return type < EAGER;
    }

    static int type(long first) {
        return (int) first & 0xFF;
    }

    /** The payload's length, which may exceed the limit. */
    static long payload(long first) {
        return first >>> 32;
    }

    static long first(int type, int payload) {
        return type | (long) payload << 32;
    }

    /** The target of an active message. */
    static long target(int number, int headerLength) {
        return number | (long) headerLength << NUMBER_BITS;
    }

    /** The handler number of a checked target. */
    static int number(long target) {
        return (int) target & NUMBER_MASK;
    }

    /** The header's length of a checked target. */
    static int headerLength(long target) {
        return (int) target >>> NUMBER_BITS;
    }

    /** Checks the target of an active message, whose header must not be longer than its frame. */
    static void checkTarget(int type, long target, int payload) {
        if (target < 0 || target > TARGET_MAX || headerLength(target) > payload) {
            throw violation(name(type), "target", target, "headers of at most payload=" + payload + " bytes");
        }
    }

    static long word(MemorySegment segment, long at) {
        return segment.get(WORD, at);
    }

    static void word(MemorySegment segment, long at, long value) {
        segment.set(WORD, at, value);
    }

    /**
     * Checks a first word on its own.
     *
     * @param first the word
     * @param payloadMax the maximum payload for its type, if it is not a message of remote memory access
     * @return the length of the header in bytes
     * @throws FairleadException if it is malformed
     */
    static int check(long first, int payloadMax) {
        int type = type(first);
        if (isOfMemory(type)) {
            return ServedMessage.headerLength(first, CHUNK_MAX);
        }
        if (type > ACTIVE_ANNOUNCE) {
            throw violation("unknown frame", "type", type, "1 to " + ACTIVE_ANNOUNCE);
        }
        if ((first >>> 8 & 0xFF_FFFF) != 0) {
            throw violation(name(type), "reserved", first >>> 8 & 0xFF_FFFF, "0");
        }
        if (payload(first) > payloadMax) {
            throw violation(name(type), "payload", payload(first), "at most " + payloadMax + " bytes");
        }
        return header(type);
    }

    /** A breach of the rules above by the peer. */
    static FairleadException violation(String frame, String field, long value, String allowed) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "peer broke the tcp protocol: frame=" + frame + ", " + field + "=" + Long.toUnsignedString(value)
                        + ", allowed " + allowed);
    }
}
