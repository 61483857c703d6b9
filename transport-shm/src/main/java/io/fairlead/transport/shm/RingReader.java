package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** The reading end of a {@link Ring}. It reads each word of the peer once. */
class RingReader {
    private final long base;
    private final long records;
    /** The records as a segment: a copy that is known not to overlap needs no call. */
    private final MemorySegment memory;
    /** The number of bytes read, and the position that was published to the writer. */
    private long read;

    private long published;
    /** The position was published since the last check whether the writer waits for it. */
    private boolean publishedLately;

    /** The current record: its position among the records, its kind, and two lengths. */
    private int at;

    private int kind;
    private long length;
    private int payload;
    private int span;

    /** Creates a reader of a zeroed ring. */
    RingReader(long address) {
        this(address, 0);
    }

    /** Creates a reader that begins at a position. */
    RingReader(long address, long position) {
        read = position;
        published = position;
        base = address;
        records = address + Ring.RECORDS_AT;
        memory = MemorySegment.ofAddress(records).reinterpret(Ring.CAPACITY);
    }

    /** Begins at a position. */
    void begin(long position) {
        read = position;
        published = position;
        Ring.publishPosition(base, position);
    }

    /** The number of bytes read, and the position that the writer knows. */
    long position() {
        return read;
    }

    long published() {
        return published;
    }

    /** Whether there is a record. */
    boolean hasRecord() {
        return Ring.published(records + (read & (Ring.CAPACITY - 1))) != 0;
    }

    /** Goes to the next record; false if there is none. {@link #advance} follows. */
    boolean tryNext() {
        at = (int) read & (Ring.CAPACITY - 1);
        long word = Ring.published(records + at);
        if (word == Ring.FILLER) {
            read += Ring.CAPACITY - at;
            at = 0;
            word = Ring.published(records);
        }
        if (word == 0) {
            return false;
        }
        kind = (int) (word & Ring.KIND_MASK);
        length = word >>> Ring.KIND_BITS;
        payload = payload(kind, length);
        span = Ring.span(payload);
        return true;
    }

    /** The payload length that a record's first word implies; untrusted. */
    static int payload(int kind, long length) {
        return switch (kind) {
            case Ring.MESSAGE, Ring.MORE, Ring.PART, Ring.SERVED, Ring.ACTIVE -> (int) length;
            case Ring.ANNOUNCEMENT, Ring.SINGLE_COPY -> Ring.ANNOUNCEMENT_PAYLOAD;
            case Ring.ACTIVE_ANNOUNCEMENT -> Ring.ACTIVE_ANNOUNCEMENT_PAYLOAD;
            case Ring.FIRST, Ring.ACTIVE_FIRST -> Ring.PAYLOAD_MAX;
            default -> 0;
        };
    }

    /** Whether the record is a well-formed message in one piece, as most are. */
    boolean isWholeMessage() {
        return kind == Ring.MESSAGE && length <= Ring.PAYLOAD_MAX && at + span <= Ring.CAPACITY;
    }

    /** Whether the record is well-formed; a malformed one is the last. */
    boolean isWellFormed() {
        return switch (kind) {
            case Ring.MESSAGE, Ring.MORE, Ring.PART, Ring.SERVED, Ring.ACTIVE ->
                length <= Ring.PAYLOAD_MAX && isWithinRing();
            case Ring.FIRST, Ring.ACTIVE_FIRST -> length > Ring.PAYLOAD_MAX && isWithinRing();
            case Ring.ANNOUNCEMENT, Ring.SINGLE_COPY, Ring.ACTIVE_ANNOUNCEMENT -> isWithinRing();

            case Ring.WANTED -> length > 0;
            case Ring.SIGNAL, Ring.TAKEN -> length == 0;
            default -> false;
        };
    }

    /** The fault of a malformed record, as text. */
    String malformedText() {
        return "record in the peer's ring makes no sense: kind=" + kind + ", length=" + length + " bytes";
    }

    private boolean isWithinRing() {
        return at + span <= Ring.CAPACITY;
    }

    int kind() {
        return kind;
    }

    /** The message's total length. */
    long length() {
        return length;
    }

    long tag() {
        return Ring.MEMORY.get(JAVA_LONG, records + at + Ring.TAG_AT);
    }

    /** The payload length of the record. */
    int payload() {
        return payload;
    }

    /** A number in that payload. */
    long number(int from) {
        return Ring.MEMORY.get(JAVA_LONG, records + at + Ring.PAYLOAD_AT + from);
    }

    /** The records, with the position of the payload. */
    MemorySegment memory() {
        return memory;
    }

    long payloadAt() {
        return (long) at + Ring.PAYLOAD_AT;
    }

    /** Copies the beginning of that payload. */
    void copy(MemorySegment target, long offset, long bytes) {
        if (bytes == Long.BYTES) {
            // The shortest messages are words, and a copy's checks take longer than a word.
            target.set(JAVA_LONG_UNALIGNED, offset, Ring.MEMORY.get(JAVA_LONG, records + at + Ring.PAYLOAD_AT));
        } else {
            MemorySegment.copy(memory, (long) at + Ring.PAYLOAD_AT, target, offset, bytes);
        }
    }

    /** Goes past a well-formed record. */
    void advance() {
        read += span;
    }

    /** Goes past a well-formed record, and publishes the position if enough was read. */
    void advanceAndPublish() {
        read += span;
        if (read - published > Ring.CAPACITY / 8) {
            publishRead();
        }
    }

    /** Publishes the position to the writer. */
    void publishRead() {
        if (published != read) {
            published = read;
            publishedLately = true;
            Ring.publishPosition(base, read);
        }
    }

    /** Whether the writer rests until the ring has capacity, and it has; in a turn without records. */
    boolean isRoomWanted() {
        if (published != read) {
            published = read;
            publishedLately = true;
            Ring.publishPosition(base, read);
            return false;
        }
        if (!publishedLately) {
            return false;
        }
        Ring.fenceBeforeRoomCheck();
        return tryTakeWish();
    }

    /** The same before this side rests, after {@link Ring#fenceBeforeLastCheck}. */
    boolean tryTakeWish() {
        publishedLately = false;
        return Ring.tryTakeWish(base);
    }
}
