package io.fairlead.internal.statistics;

import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntSupplier;

/**
 * Counters that one thread writes and any thread reads. They are written by plain stores, which no 64-bit JVM tears; behind an opaque
 * one the compiler reads everything again that it knew of the operation.
 */
// The ordinal never leaves the process, and is the cheapest index there is.
@SuppressWarnings("EnumOrdinal")
public final class CounterSet implements Counters, OperationFigures {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    // A row for each kind of operation: how many, and their bytes. Then the others.
    private static final int ROW = 2;
    private static final int BYTES = 1;
    private static final int OTHERS = FigureLayout.KINDS * ROW;

    private final long[] values = new long[OTHERS + Counter.values().length];
    private final IntSupplier inFlight;

    /**
     * Starts at zero.
     *
     * @param inFlight operations that have begun and not ended, read by any thread
     */
    public CounterSet(IntSupplier inFlight) {
        this.inFlight = inFlight;
    }

    /** Counts what is no operation that has ended well. */
    public void add(Counter counter, long amount) {
        add(OTHERS + counter.ordinal(), amount);
    }

    private void add(int index, long amount) {
        values[index] += amount;
    }

    /** Counts an operation that has ended: its kind by number, and its bytes if it went well. */
    public void count(int kind, Status status, long length) {
        if (status == Status.OK) {
            int row = kind * ROW;
            add(row, 1);
            add(row + BYTES, length);
        } else {
            add(Counter.OPERATIONS_FAILED, 1);
        }
    }

    @Override
    public long value(Counter counter) {
        return figure(counter);
    }

    @Override
    public long ended(int kind) {
        return at(kind * ROW);
    }

    @Override
    public long moved(int kind) {
        return at(kind * ROW + BYTES);
    }

    @Override
    public long other(Counter counter) {
        return counter == Counter.OPERATIONS_IN_FLIGHT ? inFlight.getAsInt() : at(OTHERS + counter.ordinal());
    }

    private long at(int index) {
        return (long) VALUES.getOpaque(values, index);
    }
}
