package io.fairlead.spi.served;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A message of emulated remote memory access, a request or an answer: a header followed by data. One instance is reused
 * for all messages, so a message allocates nothing. Belongs to the worker's thread.
 *
 * <p>The header consists of 8-byte words, little-endian and unaligned. The first word is the same for all kinds:
 *
 * <pre>
 *  bits 0-7   kind, 1 to 15
 *  bits 8-15  flags, see below
 *  bits 16-31 0
 *  bits 32-63 bytes of data behind the header
 * </pre>
 *
 * <p>A transport may have frames of its own in the same stream, of kinds from {@link #KIND_END} up. The further words
 * depend on the kind:
 *
 * <pre>
 *  kind      words                              data           flags
 *  1 PUT     region, offset, signal if flagged  for the region 1 to be answered, 2 has a signal
 *  2 GET     region, offset, length
 *  3 ATOMIC  region, offset, operand, compare                  0 to 5: add, and, or, xor, swap, compare-and-swap
 *  1 to 3    and, if flagged, the two words of a proof           128 has a proof
 *  4 FLUSH
 *  5 DONE                                                      2 a put before it was refused
 *  6 DATA                                       of the region  1 the region is closed, 2 as above, 4 more follows
 *  7 VALUE   value before                                      1 and 2 as above
 * </pre>
 *
 * <p>DONE answers a PUT and a FLUSH, DATA a GET, VALUE an ATOMIC. Answers arrive in the order of the requests. The next
 * answer, and only that, reports a refused put. A put that requests no answer is known to be done when a later request
 * is answered. The first request of an endpoint for a region carries the {@link RegionProof} of the region's key. The
 * owner serves no request for the region before that.
 */
public final class ServedMessage {
    /** The first number that is not a kind of these messages, and free for a transport's own frames. */
    public static final int KIND_END = 16;

    /** The length of the longest header in bytes. */
    public static final int HEADER_MAX = 56;

    /** The length in bytes of the first word. {@link #headerLength} derives the length of the header from it. */
    public static final int HEADER_MIN = 8;

    static final int PUT = 1;
    static final int GET = 2;
    static final int ATOMIC = 3;
    static final int FLUSH = 4;
    static final int DONE = 5;
    static final int DATA = 6;
    static final int VALUE = 7;

    static final int ANSWERED = 1;
    static final int SIGNAL = 2;

    /** A proof follows the other words of the header. */
    static final int PROOF = 128;

    private static final int PROOF_LENGTH = 2 * Long.BYTES;

    static final int GONE = 1;
    static final int REFUSED = 2;
    static final int MORE = 4;

    private static final String[] NAMES = {"", "PUT", "GET", "ATOMIC", "FLUSH", "DONE", "DATA", "VALUE"};
    private static final int[] FLAGS = {
        0, ANSWERED | SIGNAL | PROOF, PROOF, 7 | PROOF, 0, REFUSED, GONE | REFUSED | MORE, GONE | REFUSED
    };
    private static final int ARITHMETIC_MAX = 5;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    int kind;
    int flags;
    long region;
    long offset;
    /** The signal of a PUT, the operand of an ATOMIC, the length of a GET, the value of a VALUE. */
    long value;

    long compare;
    /** The random words of a proof, if there is one. */
    private long proofHigh;

    private long proofLow;

    private MemorySegment data = MemorySegment.NULL;
    private long dataOffset;
    private int dataLength;

    /** Creates an instance into which a transport reads messages. */
    public ServedMessage() {}

    /**
     * Whether the message is an answer, for {@link RemoteRequester}. All others are requests, for {@link RemoteResponder}.
     *
     * @return true for an answer
     */
    public boolean isAnswer() {
        return kind >= DONE;
    }

    /**
     * The region of a request, or of the data of an outgoing answer. A channel that has borrowed such data acquires the
     * region for each read.
     *
     * @return the region's id at its owner; undefined for other answers
     */
    public long region() {
        return region;
    }

    /**
     * The memory with the data of an outgoing message.
     *
     * @return the memory, safe to read during {@link ServedChannel#send}
     */
    public MemorySegment data() {
        return data;
    }

    /**
     * The offset of the data in {@link #data}, for an outgoing message.
     *
     * @return bytes
     */
    public long dataOffset() {
        return dataOffset;
    }

    /**
     * The length of the data behind the header.
     *
     * @return bytes, 0 and up
     */
    public int dataLength() {
        return dataLength;
    }

    /**
     * The length of the header.
     *
     * @return bytes, {@value #HEADER_MIN} to {@value #HEADER_MAX}
     */
    public int headerLength() {
        return headerLength(kind, flags);
    }

    private static int headerLength(int kind, int flags) {
        int words = switch (kind) {
            case PUT -> (flags & SIGNAL) == 0 ? 24 : 32;
            case GET -> 32;
            case ATOMIC -> 40;
            case VALUE -> 16;
            default -> 8;
        };
        return (flags & PROOF) == 0 ? words : words + PROOF_LENGTH;
    }

    /**
     * Writes the header.
     *
     * @param target the memory to write to, with a capacity of at least {@link #headerLength}
     * @param at the offset of the first byte there
     */
    public void write(MemorySegment target, long at) {
        target.set(WORD, at, kind | (long) flags << 8 | (long) dataLength << 32);
        if (kind <= ATOMIC) {
            target.set(WORD, at + 8, region);
            target.set(WORD, at + 16, offset);
            if (kind != PUT || (flags & SIGNAL) != 0) {
                target.set(WORD, at + 24, value);
            }
            if (kind == ATOMIC) {
                target.set(WORD, at + 32, compare);
            }
            if ((flags & PROOF) != 0) {
                long proof = at + headerLength() - PROOF_LENGTH;
                target.set(WORD, proof, proofHigh);
                target.set(WORD, proof + Long.BYTES, proofLow);
            }
        } else if (kind == VALUE) {
            target.set(WORD, at + 8, value);
        }
    }

    /**
     * Checks the first word of a message from the peer.
     *
     * @param first the word, read in little-endian order; untrusted
     * @param dataMax {@link ServedLimits#dataMax}
     * @return the length of the header in bytes
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the word is not the beginning of a message
     */
    public static int headerLength(long first, int dataMax) {
        int kind = (int) first & 0xFF;
        int flags = (int) (first >>> 8) & 0xFF;
        long length = first >>> 32;
        if (kind < PUT || kind > VALUE) {
            throw malformed("unknown", "kind", kind, "1 to " + VALUE);
        }
        if ((flags & ~FLAGS[kind]) != 0 || (kind == ATOMIC && (flags & ~PROOF) > ARITHMETIC_MAX)) {
            throw malformed(NAMES[kind], "flags", flags, "those of its kind");
        }
        if ((first >>> 16 & 0xFFFF) != 0) {
            throw malformed(NAMES[kind], "reserved", first >>> 16 & 0xFFFF, "0");
        }
        long lengthMax = kind == PUT || (kind == DATA && (flags & GONE) == 0) ? dataMax : 0;
        if (length > lengthMax) {
            throw malformed(NAMES[kind], "data", length, "0 to " + lengthMax + " bytes");
        }
        if (kind == DATA && (flags & MORE) != 0 && (length == 0 || flags != MORE)) {
            throw malformed(NAMES[kind], "flags", flags, "that of more for a part that is not the last alone");
        }
        return headerLength(kind, flags);
    }

    /**
     * Reads a header whose first word has been {@linkplain #headerLength(long, int) checked}. For memory that the peer
     * can change concurrently use {@link #readWhole}, which reads every word once.
     *
     * @param source the memory that holds the header
     * @param at the offset of its first byte there
     */
    public void read(MemorySegment source, long at) {
        read(source.get(WORD, at), source, at);
    }

    private void read(long first, MemorySegment source, long at) {
        kind = (int) first & 0xFF;
        flags = (int) (first >>> 8) & 0xFF;
        dataLength = (int) (first >>> 32);
        if (kind <= ATOMIC) {
            region = source.get(WORD, at + 8);
            offset = source.get(WORD, at + 16);
            value = kind != PUT || (flags & SIGNAL) != 0 ? source.get(WORD, at + 24) : 0;
            compare = kind == ATOMIC ? source.get(WORD, at + 32) : 0;
            if ((flags & PROOF) != 0) {
                long proof = at + headerLength() - PROOF_LENGTH;
                proofHigh = source.get(WORD, proof);
                proofLow = source.get(WORD, proof + Long.BYTES);
            }
        } else if (kind == VALUE) {
            value = source.get(WORD, at + 8);
        }
    }

    /**
     * Checks and reads the header of a message that has arrived with all of its data. Every word is read once, so the
     * message may be in memory that the peer can change concurrently.
     *
     * @param source the memory that holds the message; untrusted
     * @param at the offset of its first byte there
     * @param length the length of header and data in bytes
     * @param dataMax {@link ServedLimits#dataMax}
     * @return the length of the header in bytes; the data follows it
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the message is malformed
     */
    public int readWhole(MemorySegment source, long at, long length, int dataMax) {
        if (length < HEADER_MIN) {
            throw malformed("cut off", "length", length, HEADER_MIN + " bytes and more");
        }
        long first = source.get(WORD, at);
        int header = headerLength(first, dataMax);
        long whole = header + (first >>> 32);
        if (length != whole) {
            throw malformed(NAMES[(int) first & 0xFF], "length", length, whole + " bytes");
        }
        read(first, source, at);
        return header;
    }

    /** A request for a region; the first one carries the proof for the region's owner. */
    void request(int requestKind, int requestFlags, ServedMemory memory, long at, long number) {
        RegionProof proof = memory.proof();
        kind = requestKind;
        flags = requestFlags;
        region = proof.regionId();
        offset = at;
        value = number;
        dataLength = 0;
        if (!memory.isShown()) {
            flags |= PROOF;
            proofHigh = proof.high();
            proofLow = proof.low();
        }
    }

    /** A request without a region. */
    void flush() {
        kind = FLUSH;
        flags = 0;
        dataLength = 0;
    }

    /** The proof of a request; null if it has none. */
    @Nullable RegionProof proof() {
        return (flags & PROOF) == 0 ? null : new RegionProof(region, proofHigh, proofLow);
    }

    void answer(int answerKind, int answerFlags, long number) {
        kind = answerKind;
        flags = answerFlags;
        value = number;
        dataLength = 0;
    }

    void data(MemorySegment segment, long from, int length) {
        data = segment;
        dataOffset = from;
        dataLength = length;
    }

    /** Drops the reference to the memory of the data. */
    void forget() {
        data = MemorySegment.NULL;
        dataOffset = 0;
        dataLength = 0;
    }

    String name() {
        return name(kind);
    }

    static String name(int kind) {
        return NAMES[kind];
    }

    static int code(AtomicOperation operation) {
        return switch (operation) {
            case ADD -> 0;
            case AND -> 1;
            case OR -> 2;
            case XOR -> 3;
            case SWAP -> 4;
            case COMPARE_SWAP -> ARITHMETIC_MAX;
        };
    }

    /** The kind of a checked atomic. */
    AtomicOperation arithmetic() {
        return switch (flags & ~PROOF) {
            case 0 -> AtomicOperation.ADD;
            case 1 -> AtomicOperation.AND;
            case 2 -> AtomicOperation.OR;
            case 3 -> AtomicOperation.XOR;
            case 4 -> AtomicOperation.SWAP;
            default -> AtomicOperation.COMPARE_SWAP;
        };
    }

    private static FairleadException malformed(String message, String field, long value, String allowed) {
        return violation("message of served memory is malformed: message=" + message + ", " + field + "="
                + Long.toUnsignedString(value) + ", allowed " + allowed);
    }

    static FairleadException violation(String how) {
        return new FairleadException(Reason.PROTOCOL_VIOLATION, how);
    }
}
