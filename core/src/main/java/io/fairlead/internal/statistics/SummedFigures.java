package io.fairlead.internal.statistics;

import io.fairlead.Status;
import io.fairlead.statistics.Counter;

/**
 * Sums over the transports of what workers count.
 *
 * @param layout where each figure lies
 * @param cells reads one by its place
 */
// The ordinal never leaves the process, and is the cheapest index there is.
@SuppressWarnings("EnumOrdinal")
record SummedFigures(FigureLayout layout, Cells cells) implements OperationFigures {
    /** Reads a figure by its place. */
    interface Cells {
        long at(int cell);
    }

    @Override
    public long endedWell(int kind) {
        return sum(FigureLayout.operation(kind, Status.OK));
    }

    @Override
    public long bytesOf(int kind) {
        return sum(FigureLayout.bytes(kind));
    }

    @Override
    public long failed(int kind, Status status) {
        return sum(FigureLayout.operation(kind, status));
    }

    @Override
    public long other(Counter counter) {
        return cells.at(counter.ordinal());
    }

    /** The sum of a figure that each transport has, by its place among those of one. */
    private long sum(int figure) {
        long sum = 0;
        for (int transport = 0; transport < layout.transportCount(); transport++) {
            sum += cells.at(layout.operations(transport) + figure);
        }
        return sum;
    }
}
