package io.fairlead.transport.tcp;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The frames of an endpoint's byte stream, one behind the other without padding.
 *
 * <p>A frame is a header of 8-byte words, little-endian, and a payload. The first word is the same for all:
 *
 * <pre>
 *  bits 0-7   type
 *  bits 8-15  flags, 0 unless the type has some
 *  bits 16-31 0
 *  bits 32-63 length of the payload in bytes
 * </pre>
 *
 * <p>The further words depend on the type ({@code C} is the side that asks, {@code S} the side that answers):
 *
 * <pre>
 *  type           words                                         payload
 *  EAGER          tag                                           the message, up to the agreed eagerMax
 *  EAGER_SYNC     tag, id of C                                  the message; MATCHED answers
 *  ANNOUNCE       tag, id of C, length                          none; a message longer than eagerMax; PULL answers
 *  PULL           id of C, id of S, bytes wanted                none; 0 bytes and id 0 if the receive has no room
 *  DATA           id of S                                       the next bytes of a pulled message
 *  MATCHED        id of C                                       none
 *  PUT            region, offset                                bytes for the region
 *  PUT_SIGNAL     region, offset, signal                        bytes for the region; the signal is delivered after them
 *  GET            id of C, region, offset, length               none; GET_DATA, or GET_REFUSED, answers
 *  GET_DATA       id of C                                       the next bytes of what was asked for; flags: 1 with the last
 *  GET_REFUSED    id of C                                       none; the region is gone
 *  ATOMIC         id of C, region, offset, operand, compare     none; flags: {@link io.fairlead.AtomicOperation} as 0 to 5
 *  ATOMIC_RESULT  id of C, value before                         none; flags: 1 if the region is gone
 *  FLUSH          id of C                                       none
 *  FLUSHED        id of C                                       none; flags: 1 if a put was refused since the last one
 *  CONTROL                                                      a control frame of the core
 * </pre>
 *
 * <p>Ids are chosen by the side that they belong to, are never 0, and fit 32 bits. At most {@link #ASKED_MAX} messages
 * and as many operations on remote memory of one side wait for answers at a time, so that the other side can bound what it keeps. Large transfers are cut into frames of at most
 * {@link #CHUNK_MAX} bytes, between which frames of other transfers may stand; those of one transfer are in order.
 *
 * <p>Where either side wants checksums the stream of frames is cut into the records of {@link ChecksummedConnection}.
 */
final class Frame {
    /** Changes whenever a peer that knows only the older frames would misunderstand. */
    static final String VERSION = "2";

    static final int EAGER = 1;
    static final int EAGER_SYNC = 2;
    static final int ANNOUNCE = 3;
    static final int PULL = 4;
    static final int DATA = 5;
    static final int MATCHED = 6;
    static final int PUT = 7;
    static final int PUT_SIGNAL = 8;
    static final int GET = 9;
    static final int GET_DATA = 10;
    static final int GET_REFUSED = 11;
    static final int ATOMIC = 12;
    static final int ATOMIC_RESULT = 13;
    static final int FLUSH = 14;
    static final int FLUSHED = 15;
    static final int CONTROL = 16;

    static final int ASKED_MAX = 8192;
    static final int CHUNK_MAX = 1 << 20;
    static final int CONTROL_MAX = 4096;
    static final long ID_MAX = 0xFFFF_FFFFL;

    /** The flag of the GET_DATA with which a get is complete. */
    static final int LAST = 1;

    /** The flag of an ATOMIC_RESULT or FLUSHED that tells of a closed region. */
    static final int REFUSED = 1;

    static final int HEADER_MIN = 8;
    static final int EAGER_HEADER = 16;
    static final int HEADER_MAX = 48;

    private static final String[] NAMES = {
        "",
        "EAGER",
        "EAGER_SYNC",
        "ANNOUNCE",
        "PULL",
        "DATA",
        "MATCHED",
        "PUT",
        "PUT_SIGNAL",
        "GET",
        "GET_DATA",
        "GET_REFUSED",
        "ATOMIC",
        "ATOMIC_RESULT",
        "FLUSH",
        "FLUSHED",
        "CONTROL"
    };
    private static final byte[] HEADERS = {0, 16, 24, 32, 32, 16, 16, 24, 32, 40, 16, 16, 48, 24, 16, 16, 8};
    private static final byte[] FLAGS_MAX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 5, 1, 0, 1, 0};

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Frame() {}

    /** Bytes in front of the payload; 0 if there is no such type. */
    static int header(int type) {
        return type < HEADERS.length ? HEADERS[type] : 0;
    }

    static String name(int type) {
        return NAMES[type];
    }

    static int type(long first) {
        return (int) first & 0xFF;
    }

    static int flags(long first) {
        return (int) (first >>> 8) & 0xFF;
    }

    /** The payload's length, which can be far beyond what is allowed. */
    static long payload(long first) {
        return first >>> 32;
    }

    static long first(int type, int flags, int payload) {
        return type | (long) flags << 8 | (long) payload << 32;
    }

    static long word(MemorySegment segment, long at) {
        return segment.get(WORD, at);
    }

    static void word(MemorySegment segment, long at, long value) {
        segment.set(WORD, at, value);
    }

    /**
     * Checks what can be checked of a first word by itself.
     *
     * @param first the word
     * @param payloadMax the longest payload for its type
     * @throws FairleadException if it is no frame
     */
    static void check(long first, long payloadMax) {
        int type = type(first);
        if (header(type) == 0) {
            throw violation("unknown frame", "type", type, "1 to " + CONTROL);
        }
        if (flags(first) > FLAGS_MAX[type]) {
            throw violation(name(type), "flags", flags(first), "0 to " + FLAGS_MAX[type]);
        }
        if ((first >>> 16 & 0xFFFF) != 0) {
            throw violation(name(type), "reserved", first >>> 16 & 0xFFFF, "0");
        }
        if (payload(first) > payloadMax) {
            throw violation(name(type), "payload", payload(first), "at most " + payloadMax + " bytes");
        }
    }

    /** A breach of the rules above by the peer. */
    static FairleadException violation(String frame, String field, long value, String allowed) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "peer broke the tcp protocol: frame=" + frame + ", " + field + "=" + Long.toUnsignedString(value)
                        + ", allowed " + allowed);
    }
}
