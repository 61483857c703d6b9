package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** The end of a {@link Ring} that messages go into. */
final class RingWriter {
    private final long base;
    private final long records;
    /** The records once more: what is known to overlap with nothing is copied without a call. */
    private final MemorySegment memory;
    /** Bytes since the beginning, and how far the reader was when that was last looked up. */
    private long written;

    private long read;
    /** The reader has told a position where it cannot be, and which. */
    private boolean deceived;

    private long impossible;
    /** How far the reader has to come for the last record for which there was no room. */
    private long awaited;
    /** Where the record begins that is being written. */
    private int record;

    /** A writer of a ring that nobody has written to. */
    RingWriter(long address) {
        base = address;
        records = address + Ring.RECORDS_AT;
        memory = MemorySegment.ofAddress(records).reinterpret(Ring.CAPACITY);
    }

    /**
     * Looks for room for a record.
     *
     * @param payload bytes, up to {@link Ring#PAYLOAD_MAX}
     * @return whether there is room; {@link #put} and {@link #publish} follow
     */
    boolean tryClaim(int payload) {
        int span = Ring.span(payload);
        int offset = (int) written & (Ring.CAPACITY - 1);
        int filler = offset + span > Ring.CAPACITY ? Ring.CAPACITY - offset : 0;
        long needed = written + filler + span + Ring.STOP - Ring.CAPACITY;
        if (needed > read) {
            long told = Ring.readerPosition(base);
            // The word is the peer's: where its reader has been already, or cannot be yet, the ring would be full for
            // ever.
            if (told < read || told > written || (told & (Ring.ALIGNMENT - 1)) != 0) {
                deceived = true;
                impossible = told;
                return false;
            }
            read = told;
            if (needed > told) {
                awaited = needed;
                return false;
            }
        }
        if (filler > 0) {
            stopAt(0);
            Ring.publish(records + offset, Ring.FILLER);
            written += filler;
            offset = 0;
        }
        record = offset;
        return true;
    }

    /** Whether there was no room for the last record that was to be written, and is none yet. */
    boolean isFull() {
        return awaited > Ring.readerPosition(base);
    }

    /** Has the reader tell when there is room; false if there is some now, or never will be. */
    boolean tryAwaitRoom() {
        if (deceived || !isFull()) {
            return false;
        }
        Ring.wantRoom(base);
        return true;
    }

    /** Whether the reader has told a position where it cannot be. There is no room any more then. */
    boolean hasFalsePosition() {
        return deceived;
    }

    /** What it told, and what it could have, in words. */
    String falsePositionText() {
        return "reader's position in a ring makes no sense: position=" + impossible + ", allowed " + read + " to "
                + written + " bytes, in steps of " + Ring.ALIGNMENT;
    }

    private void stopAt(long position) {
        Ring.MEMORY.set(JAVA_LONG, records + (position & (Ring.CAPACITY - 1)), 0L);
    }

    /** Copies some of the payload to its place in the record. */
    void put(long at, MemorySegment source, long offset, long bytes) {
        if (bytes == Long.BYTES) {
            // The shortest messages are words, and the checks of a copy take longer than one.
            Ring.MEMORY.set(
                    JAVA_LONG_UNALIGNED,
                    records + record + Ring.PAYLOAD_AT + at,
                    source.get(JAVA_LONG_UNALIGNED, offset));
        } else {
            MemorySegment.copy(source, offset, memory, record + Ring.PAYLOAD_AT + at, bytes);
        }
    }

    /** Writes a number to its place in the payload. */
    void number(int at, long value) {
        Ring.MEMORY.set(JAVA_LONG, records + record + Ring.PAYLOAD_AT + at, value);
    }

    /** The records, and where the payload of the one that is claimed begins in them. */
    MemorySegment memory() {
        return memory;
    }

    long payloadAt() {
        return (long) record + Ring.PAYLOAD_AT;
    }

    /** Whether the reader may read this process's memory. */
    boolean allowsLending() {
        return Ring.allowsLending(base);
    }

    /** Whether the reader's endpoint had ended when everything before this call was done. */
    boolean hasReaderEnded() {
        return Ring.hasReaderEnded(base);
    }

    /** Shows the record that was claimed to the reader. */
    void publish(int kind, long length, long tag, int payload) {
        Ring.MEMORY.set(JAVA_LONG, records + record + Ring.TAG_AT, tag);
        written += Ring.span(payload);
        stopAt(written);
        Ring.publish(records + record, length << Ring.KIND_BITS | kind);
    }

    /** Writes a record without payload; false if there is no room now. */
    boolean tryWrite(int kind, long length, long tag) {
        if (!tryClaim(0)) {
            return false;
        }
        publish(kind, length, tag, 0);
        return true;
    }
}
