package io.fairlead.transport.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * How messages lie in the shared memory between two processes: one writes, one reads, neither calls anybody.
 *
 * <pre>
 *  at 0   how far the reader has come, in bytes since the beginning
 *  at 8   1 once the reader's endpoint has ended, and with it what it has announced in the other direction
 *  at 64  records, one behind the other, each at a multiple of 16 bytes:
 *         at 0 length above kind; at 8 tag; at 16 payload
 * </pre>
 *
 * The writer publishes a record by its first word, written last. Before that it writes a 0 where the next record will begin, whatever
 * payload of an earlier round lies there: so that is where the reader stops, and the reader need not write to what it reads. A record
 * that would not fit before the end is preceded by one that fills the end.
 */
final class Ring {
    /** A message, its payload with it. */
    static final int MESSAGE = 1;
    /** A message and the beginning of its payload, {@link #PAYLOAD_MAX} bytes. */
    static final int FIRST = 2;
    /** More of that payload; the length is that of the part. */
    static final int MORE = 3;
    /** A message whose payload stays with its sender: a number that the sender gave it, and its address or 0. */
    static final int ANNOUNCEMENT = 4;
    /** The signal of a put; its value is where the tag is. */
    static final int SIGNAL = 5;
    /** Nothing, to the end. */
    static final int FILLER = 6;
    /** The payload of an announced message is wanted in parts, as many bytes of it as the length says; its number is where the tag is. */
    static final int WANTED = 7;
    /** A part of the payload that was asked for first. */
    static final int PART = 8;
    /** All that is wanted of an announced message is there; its number is where the tag is. */
    static final int TAKEN = 9;
    /** A {@link Note}; its kind is where the tag is. */
    static final int NOTE = 10;

    static final int KIND_BITS = 8;
    static final long KIND_MASK = (1 << KIND_BITS) - 1;

    static final int ALIGNMENT = 16;
    static final int ENDED_AT = 8;
    static final int RECORDS_AT = 64;
    static final int CAPACITY = 32 << 10;
    /** Longer payloads come in parts, so that there is room for a second while the first is read. */
    static final int PAYLOAD_MAX = 8 << 10;
    /** Number and address. */
    static final int ANNOUNCEMENT_PAYLOAD = 2 * Long.BYTES;

    static final int TAG_AT = 8;
    static final int PAYLOAD_AT = 16;
    /** The 0 behind the last record, which there must be room for. */
    static final int STOP = ALIGNMENT;
    /** What one ring takes. */
    static final int SIZE = RECORDS_AT + CAPACITY;

    static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    /** All of memory: a constant, so that an access costs no more than its address. */
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Ring() {}

    /** What a record takes. */
    static int span(int payload) {
        return (PAYLOAD_AT + payload + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
