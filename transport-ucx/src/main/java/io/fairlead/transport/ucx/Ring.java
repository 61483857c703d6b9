package io.fairlead.transport.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * How messages lie in the shared memory between two processes: one writes, one reads, neither calls anybody.
 *
 * <pre>
 *  at 0   how far the reader has come, in bytes since the beginning
 *  at 64  cells of 64 bytes; a record takes as many as it needs, next to each other:
 *         at 0 length above kind, 0 while nothing is there; at 8 tag; at 16 payload
 * </pre>
 *
 * The writer publishes a record by its first word, written last. The reader clears the first word of every cell of a record before it
 * gives the cells back, so that a cell which is free says so, whatever payload lay in it. A record that would not fit before the end is
 * preceded by one that fills the end.
 */
final class Ring {
    /** A message, its payload with it. */
    static final int MESSAGE = 1;
    /** A message whose payload comes through UCX. */
    static final int ANNOUNCEMENT = 2;
    /** The signal of a put; its value is where the tag is. */
    static final int SIGNAL = 3;
    /** Nothing, to the end of the cells. */
    static final int FILLER = 4;

    static final int KIND_BITS = 8;
    static final long KIND_MASK = (1 << KIND_BITS) - 1;

    static final int CELL = 64;
    static final int CELLS_AT = 64;
    static final int CAPACITY = 32 << 10;
    /** Longer payloads would leave too little room for a second one. */
    static final int PAYLOAD_MAX = 8 << 10;

    static final int TAG_AT = 8;
    static final int PAYLOAD_AT = 16;
    /** What one ring takes. */
    static final int SIZE = CELLS_AT + CAPACITY;

    static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    /** All of memory: a constant, so that an access costs no more than its address. */
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Ring() {}

    /** The cells of a record, in bytes. */
    static int span(int payload) {
        return (PAYLOAD_AT + payload + CELL - 1) & -CELL;
    }
}
