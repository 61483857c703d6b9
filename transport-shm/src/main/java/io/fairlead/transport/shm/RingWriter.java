package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** The writing end of a {@link Ring}. */
class RingWriter {
    /** Where the reader publishes its position. */
    private long positions;

    private final long records;
    /** The records as a segment: a copy that is known not to overlap needs no call. */
    private final MemorySegment memory;
    /** The number of bytes written, and the reader's position at the last check. */
    private long written;

    private long read;
    /** The number of bytes written at the last {@link #prefetchForWrite}. */
    private long prefetched;
    /** The reader has published an impossible position, which follows. */
    private boolean deceived;

    private long impossible;
    /** The position that the reader must reach before the last refused record fits. */
    private long awaited;
    /** The beginning of the record that is being written. */
    private int record;

    /** Creates a writer of an unused ring. */
    RingWriter(long address) {
        this(address, address + Ring.RECORDS_AT);
    }

    /** Creates a writer of records that are not behind the reader's position. */
    RingWriter(long positions, long records) {
        this.positions = positions;
        this.records = records;
        memory = MemorySegment.ofAddress(records).reinterpret(Ring.CAPACITY);
    }

    /**
     * Claims capacity for a record.
     *
     * @param payload bytes, up to {@link Ring#PAYLOAD_MAX}
     * @return whether it fits; {@link #put} and {@link #publish} follow
     */
    boolean tryClaim(int payload) {
        int span = Ring.span(payload);
        int offset = (int) written & (Ring.CAPACITY - 1);
        int filler = offset + span > Ring.CAPACITY ? Ring.CAPACITY - offset : 0;
        long needed = written + filler + span + Ring.STOP - Ring.CAPACITY;
        if (needed > read) {
            long position = Ring.readerPosition(positions);
            // The word is the peer's: with an impossible position the ring would be full forever.
            if (position < read || position > written || (position & (Ring.ALIGNMENT - 1)) != 0) {
                deceived = true;
                impossible = position;
                return false;
            }
            read = position;
            if (needed > position) {
                awaited = needed;
                return false;
            }
        }
        if (filler > 0) {
            fill(offset);
            written += filler;
            offset = 0;
        }
        record = offset;
        return true;
    }

    /** Publishes a record that fills the end. */
    void fill(int offset) {
        Ring.MEMORY.set(JAVA_LONG, records, 0L);
        Ring.publish(records + offset, Ring.FILLER);
    }

    /** Whether the last record did not fit, and still does not. */
    boolean isFull() {
        return awaited > Ring.readerPosition(positions);
    }

    /** Asks the reader to report capacity; false if there is some now, or never will be. */
    boolean tryAwaitRoom() {
        if (deceived || !isFull()) {
            return false;
        }
        Ring.wantRoom(positions);
        return true;
    }

    /** Whether the reader has published an impossible position. The ring then has no capacity any more. */
    boolean hasFalsePosition() {
        return deceived;
    }

    /** The published position, and the possible ones, as text. */
    String falsePositionText() {
        return "reader's position in a ring makes no sense: position=" + impossible + ", allowed " + read + " to "
                + written + " bytes, in steps of " + Ring.ALIGNMENT;
    }

    /** Copies a part of the payload into the record. */
    void put(long at, MemorySegment source, long offset, long bytes) {
        if (bytes == Long.BYTES) {
            // The shortest messages are words, and a copy's checks take longer than a word.
            Ring.MEMORY.set(
                    JAVA_LONG_UNALIGNED,
                    records + record + Ring.PAYLOAD_AT + at,
                    source.get(JAVA_LONG_UNALIGNED, offset));
        } else {
            MemorySegment.copy(source, offset, memory, record + Ring.PAYLOAD_AT + at, bytes);
        }
    }

    /** Writes a number into the payload. */
    void number(int at, long value) {
        Ring.MEMORY.set(JAVA_LONG, records + record + Ring.PAYLOAD_AT + at, value);
    }

    /** The records, with the payload position of the claimed one. */
    MemorySegment memory() {
        return memory;
    }

    long payloadAt() {
        return (long) record + Ring.PAYLOAD_AT;
    }

    /** Whether the reader may read this process's memory. */
    boolean allowsSingleCopy() {
        return Ring.allowsSingleCopy(positions);
    }

    /** Whether the reader's endpoint had ended before this call. */
    boolean hasReaderEnded() {
        return Ring.hasReaderEnded(positions);
    }

    /** Publishes the claimed record to the reader. */
    void publish(int kind, long length, long tag, int payload) {
        Ring.MEMORY.set(JAVA_LONG, records + record + Ring.TAG_AT, tag);
        written += Ring.span(payload);
        // The reader stops here.
        Ring.MEMORY.set(JAVA_LONG, records + (written & (Ring.CAPACITY - 1)), 0L);
        Ring.publish(records + record, length << Ring.KIND_BITS | kind);
    }

    /**
     * Stores a 0 to the free cache lines behind the last record, as many as were written since the last call. The
     * reader's cache has them from the round before, and a record would wait for each of its lines in turn.
     */
    void prefetchForWrite() {
        prefetchForWrite(records);
    }

    /** The same for records elsewhere, which are at the same positions. */
    void prefetchForWrite(long target) {
        long from = (written + Ring.LINE - 1) & -Ring.LINE;
        long bytes = Math.min(written - prefetched, Ring.PAYLOAD_MAX) + Ring.LINE;
        long end = Math.min(from + bytes, read + Ring.CAPACITY - Ring.LINE + 1);
        for (long line = from; line < end; line += Ring.LINE) {
            Ring.MEMORY.set(JAVA_LONG, target + (line & (Ring.CAPACITY - 1)), 0L);
        }
        prefetched = written;
    }

    /** The number of bytes written, and the reader's position that is known. */
    long written() {
        return written;
    }

    long read() {
        return read;
    }

    /** Where the claimed record begins. */
    int record() {
        return record;
    }

    /** The reader publishes its position elsewhere from now on, beginning with this one. */
    void follow(long elsewhere, long position) {
        positions = elsewhere;
        read = position;
        awaited = 0;
        deceived = false;
    }

    /** Whether the reader has read everything; if not, it is to report capacity when it has. */
    boolean isTaken() {
        if (Ring.readerPosition(positions) == written) {
            return true;
        }
        Ring.wantRoom(positions);
        return false;
    }

    /** Writes a message in one record; false if the ring is full. */
    boolean tryWriteMessage(MemorySegment source, long offset, int length, long tag) {
        if (!tryClaim(length)) {
            return false;
        }
        put(0, source, offset, length);
        publish(Ring.MESSAGE, length, tag, length);
        return true;
    }

    /** Writes a record without payload; false if the ring is full. */
    boolean tryWrite(int kind, long length, long tag) {
        if (!tryClaim(0)) {
            return false;
        }
        publish(kind, length, tag, 0);
        return true;
    }
}
