package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** The end of a {@link Ring} that messages come out of. What it reads is the peer's, and is read once. */
final class RingReader {
    private final long base;
    private final long records;
    /** The records once more: what is known to overlap with nothing is copied without a call. */
    private final MemorySegment memory;
    /** Bytes since the beginning, and how much of that the writer has been told. */
    private long read;

    private long told;
    /** Since it was told, nobody has looked whether the writer waits for it. */
    private boolean toldLately;

    private int kind;
    private long length;

    /** A reader of a ring that is all zeroes. */
    RingReader(long address) {
        base = address;
        records = address + Ring.RECORDS_AT;
        memory = MemorySegment.ofAddress(records).reinterpret(Ring.CAPACITY);
    }

    private long record() {
        return records + (read & (Ring.CAPACITY - 1));
    }

    /** Whether a record is here. */
    boolean hasRecord() {
        return Ring.published(record()) != 0;
    }

    /** Goes to the next record; false if none is here. {@link #advance} follows. */
    boolean tryNext() {
        long word = Ring.published(record());
        if (word == Ring.FILLER) {
            read += Ring.CAPACITY - (read & (Ring.CAPACITY - 1));
            word = Ring.published(record());
        }
        if (word == 0) {
            return false;
        }
        kind = (int) (word & Ring.KIND_MASK);
        length = word >>> Ring.KIND_BITS;
        return true;
    }

    /** Whether the record makes sense; one that does not is the last. */
    boolean isWellFormed() {
        return switch (kind) {
            case Ring.MESSAGE, Ring.MORE, Ring.PART, Ring.SERVED -> length <= Ring.PAYLOAD_MAX && isWithinRing();
            case Ring.FIRST -> length > Ring.PAYLOAD_MAX && isWithinRing();
            case Ring.ANNOUNCEMENT, Ring.LENT -> isWithinRing();

            case Ring.WANTED -> length > 0;
            case Ring.SIGNAL, Ring.TAKEN -> length == 0;
            default -> false;
        };
    }

    /** That a record makes no sense, in words. */
    String malformedText() {
        return "record in the peer's ring makes no sense: kind=" + kind + ", length=" + length + " bytes";
    }

    private boolean isWithinRing() {
        return (read & (Ring.CAPACITY - 1)) + Ring.span(payload()) <= Ring.CAPACITY;
    }

    int kind() {
        return kind;
    }

    /** The message's length, whatever of it is here. */
    long length() {
        return length;
    }

    long tag() {
        return Ring.MEMORY.get(JAVA_LONG, record() + Ring.TAG_AT);
    }

    /** How much payload is in the record. */
    int payload() {
        return switch (kind) {
            case Ring.MESSAGE, Ring.MORE, Ring.PART, Ring.SERVED -> (int) length;
            case Ring.ANNOUNCEMENT, Ring.LENT -> Ring.ANNOUNCEMENT_PAYLOAD;
            case Ring.FIRST -> Ring.PAYLOAD_MAX;
            default -> 0;
        };
    }

    /** A number in that payload. */
    long number(int at) {
        return Ring.MEMORY.get(JAVA_LONG, record() + Ring.PAYLOAD_AT + at);
    }

    /** The records, and where the payload begins in them. */
    MemorySegment memory() {
        return memory;
    }

    long payloadAt() {
        return (read & (Ring.CAPACITY - 1)) + Ring.PAYLOAD_AT;
    }

    /** Copies the beginning of that payload. */
    void copy(MemorySegment target, long offset, long bytes) {
        if (bytes == Long.BYTES) {
            // The shortest messages are words, and the checks of a copy take longer than one.
            target.set(JAVA_LONG_UNALIGNED, offset, Ring.MEMORY.get(JAVA_LONG, record() + Ring.PAYLOAD_AT));
        } else {
            MemorySegment.copy(memory, (read & (Ring.CAPACITY - 1)) + Ring.PAYLOAD_AT, target, offset, bytes);
        }
    }

    /** Goes behind a well-formed record. */
    void advance() {
        read += Ring.span(payload());
    }

    /** Tells the writer what it has room for again, if that is worth it by now. */
    void tellIfMuch() {
        if (read - told > Ring.CAPACITY / 8) {
            tell();
        }
    }

    /** Tells the writer what it has room for again. */
    void tell() {
        if (told != read) {
            told = read;
            toldLately = true;
            Ring.tellPosition(base, read);
        }
    }

    /** Whether the writer rests until there is room, and there is some; in a turn that has found nothing to read. */
    boolean isRoomWanted() {
        if (told != read) {
            tell();
            return false;
        }
        if (!toldLately) {
            return false;
        }
        Ring.fenceBeforeRoomCheck();
        return tryTakeWish();
    }

    /** The same before this side rests, behind {@link Ring#fenceBeforeLastCheck}. */
    boolean tryTakeWish() {
        toldLately = false;
        return Ring.tryTakeWish(base);
    }
}
