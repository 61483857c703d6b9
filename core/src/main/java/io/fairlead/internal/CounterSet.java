package io.fairlead.internal;

import io.fairlead.Counter;
import io.fairlead.Counters;
import io.fairlead.Status;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntSupplier;

/** Counters that one thread writes and any thread reads: opaque writes cost what plain ones do, and are never torn. */
// The ordinal never leaves the process, and is the cheapest index there is.
@SuppressWarnings("EnumOrdinal")
final class CounterSet implements Counters {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values = new long[Counter.values().length];
    private final IntSupplier inFlight;

    /**
     * Starts at zero.
     *
     * @param inFlight operations that have begun and not ended, read by any thread
     */
    CounterSet(IntSupplier inFlight) {
        this.inFlight = inFlight;
    }

    void add(Counter counter, long amount) {
        int index = counter.ordinal();
        VALUES.setOpaque(values, index, values[index] + amount);
    }

    /** Counts an operation that has ended. */
    void count(CoreOperation operation) {
        if (operation.status != Status.OK) {
            add(Counter.OPERATIONS_FAILED, 1);
            return;
        }
        switch (operation.kind) {
            case SEND -> {
                add(Counter.MESSAGES_SENT, 1);
                add(Counter.BYTES_SENT, operation.length());
            }
            case RECEIVE -> {
                add(Counter.MESSAGES_RECEIVED, 1);
                add(Counter.BYTES_RECEIVED, operation.length());
            }
            case PUT -> {
                add(Counter.PUTS, 1);
                add(Counter.BYTES_PUT, operation.length());
            }
            case GET -> {
                add(Counter.GETS, 1);
                add(Counter.BYTES_GOT, operation.length());
            }
            case ATOMIC -> add(Counter.ATOMICS, 1);
            case FLUSH -> add(Counter.FLUSHES, 1);
        }
    }

    @Override
    public long value(Counter counter) {
        return counter == Counter.OPERATIONS_IN_FLIGHT
                ? inFlight.getAsInt()
                : (long) VALUES.getOpaque(values, counter.ordinal());
    }
}
