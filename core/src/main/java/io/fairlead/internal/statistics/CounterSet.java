package io.fairlead.internal.statistics;

import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The counts of one endpoint, the only place where its operations are counted: {@link EndpointSums} adds the sets of a
 * worker. Only the worker's thread writes, by plain stores, which no 64-bit JVM tears. After an opaque store the
 * compiler would reload everything that it knew of the operation. Any thread reads.
 */
// The ordinal never leaves the process, and is the cheapest index.
@SuppressWarnings("EnumOrdinal")
public class CounterSet implements Counters, OperationFigures {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    /**
     * The index of the operations' counts, in the order of {@link FigureLayout}; before them is one count for each
     * {@link Counter}.
     */
    static final int OPERATIONS = Counter.values().length;

    private static final int IN_FLIGHT = Counter.OPERATIONS_IN_FLIGHT.ordinal();

    static final int SIZE = OPERATIONS + FigureLayout.OPERATIONS;

    private final long[] values = new long[SIZE];

    /** Starts at zero. */
    protected CounterSet() {}

    /** An operation begins that counts as in flight until its completion has run. */
    public void beginOperation() {
        values[IN_FLIGHT]++;
    }

    /** The completion of an operation has run; returns whether it was the last one. */
    public boolean endOperation() {
        return --values[IN_FLIGHT] == 0;
    }

    /** Operations in flight; on the worker's thread. */
    public long inFlight() {
        return values[IN_FLIGHT];
    }

    /** Counts anything but an ended operation. */
    public void add(Counter counter, long amount) {
        values[counter.ordinal()] += amount;
    }

    /**
     * Counts an operation that has ended.
     *
     * @param kind the number of its kind
     * @param length length of its payload
     */
    public void countOperation(int kind, Status status, long length) {
        int row = OPERATIONS + kind * FigureLayout.ROW;
        values[row + status.ordinal()]++;
        if (status == Status.OK && kind < FigureLayout.ATOMIC) {
            values[row + FigureLayout.BYTES] += length;
        }
    }

    @Override
    public long value(Counter counter) {
        return figure(counter);
    }

    @Override
    public long endedWell(int kind) {
        return at(OPERATIONS + FigureLayout.operation(kind, Status.OK));
    }

    @Override
    public long bytesOf(int kind) {
        return at(OPERATIONS + FigureLayout.bytes(kind));
    }

    @Override
    public long failed(int kind, Status status) {
        return at(OPERATIONS + FigureLayout.operation(kind, status));
    }

    @Override
    public long other(Counter counter) {
        return at(counter.ordinal());
    }

    long at(int index) {
        return (long) VALUES.getOpaque(values, index);
    }
}
