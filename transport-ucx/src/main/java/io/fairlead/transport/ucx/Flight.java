package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A UCX request that has not ended, and what is to be done when it has. Pooled by its worker. */
final class Flight {
    /** What the request is for. */
    enum Kind {
        /** A send, put, get or flush: its operation ends with it. */
        PLAIN,
        /** A message on its way into a receive. */
        RECEIVE,
        /** A message that nobody wants. */
        DISCARD,
        /** An atomic: the old value is in the reply word. */
        ATOMIC,
        /** The flush between a put and its signal. */
        SIGNAL_FLUSH,
        /** The signal itself. */
        SIGNAL,
        /** The flush of a graceful close. */
        DRAIN
    }

    /** Operand and reply of an atomic, value of a signal, head of a discarded message; and the parameter block of the atomic. */
    final MemorySegment words;

    final MemorySegment atomicParam;

    Kind kind = Kind.PLAIN;
    long request;
    @Nullable Operation operation;
    @Nullable UcxEndpoint endpoint;
    long length;
    /** Where a message longer than its buffer goes first. */
    @Nullable Arena spill;

    @Nullable MemorySegment spilled;
    long signal;

    Flight(Arena arena) {
        words = arena.allocate(2L * Long.BYTES, Long.BYTES);
        atomicParam = Ucp.atomicParam(arena, words.asSlice(Long.BYTES));
    }

    long operandAddress() {
        return words.address();
    }

    void operands(long first, long second) {
        words.set(ValueLayout.JAVA_LONG, 0, first);
        words.set(ValueLayout.JAVA_LONG, Long.BYTES, second);
    }

    long reply() {
        return words.get(ValueLayout.JAVA_LONG, Long.BYTES);
    }

    void clear() {
        operation = null;
        endpoint = null;
        request = 0;
        if (spill != null) {
            spill.close();
            spill = null;
            spilled = null;
        }
    }
}
