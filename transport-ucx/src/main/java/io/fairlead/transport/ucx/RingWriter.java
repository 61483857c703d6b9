package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** The end of a {@link Ring} that messages go into. */
final class RingWriter {
    private final long base;
    private final long cells;
    /** Bytes since the beginning, and how far the reader was when that was last looked up. */
    private long written;

    private long read;
    /** Where the record that is being written begins. */
    private long record;

    /** A writer of a ring that nobody has written to. */
    RingWriter(long address) {
        base = address;
        cells = address + Ring.CELLS_AT;
    }

    /**
     * Looks for room for a record.
     *
     * @param payload bytes, up to {@link Ring#PAYLOAD_MAX}
     * @return the address for the payload, to be followed by {@link #publish}; 0 if there is no room now
     */
    long claim(int payload) {
        int span = Ring.span(payload);
        int offset = (int) written & (Ring.CAPACITY - 1);
        int filler = offset + span > Ring.CAPACITY ? Ring.CAPACITY - offset : 0;
        if (written + filler + span - read > Ring.CAPACITY) {
            read = (long) Ring.WORD.getAcquire(Ring.MEMORY, base);
            // The word is the peer's: one that lies must not make this side write anywhere else.
            if (read > written || written - read > Ring.CAPACITY || written + filler + span - read > Ring.CAPACITY) {
                return 0;
            }
        }
        if (filler > 0) {
            Ring.WORD.setRelease(Ring.MEMORY, cells + offset, (long) Ring.FILLER);
            written += filler;
            offset = 0;
        }
        record = cells + offset;
        return record + Ring.PAYLOAD_AT;
    }

    /** Shows the record that was claimed to the reader. */
    void publish(int kind, long length, long tag, int payload) {
        Ring.MEMORY.set(JAVA_LONG, record + Ring.TAG_AT, tag);
        written += Ring.span(payload);
        Ring.WORD.setRelease(Ring.MEMORY, record, length << Ring.KIND_BITS | kind);
    }

    /** Writes a record without payload; false if there is no room now. */
    boolean write(int kind, long length, long tag) {
        if (claim(0) == 0) {
            return false;
        }
        publish(kind, length, tag, 0);
        return true;
    }

    /** Writes a message with its payload; false if there is no room now. */
    boolean write(MemorySegment source, long offset, int length, long tag) {
        long payload = claim(length);
        if (payload == 0) {
            return false;
        }
        MemorySegment.copy(source, offset, Ring.MEMORY, payload, length);
        publish(Ring.MESSAGE, length, tag, length);
        return true;
    }
}
