package io.fairlead.internal.statistics;

import io.fairlead.Status;
import io.fairlead.statistics.Counter;

/**
 * Sums of the workers' counts over the transports.
 *
 * @param layout the indexes of the counts
 * @param cells reads a count by its index
 */
// The ordinal never leaves the process, and is the cheapest index.
@SuppressWarnings("EnumOrdinal")
record SummedFigures(FigureLayout layout, Cells cells) implements OperationFigures {
    /** Reads a count by its index. */
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

    /** The sum over all transports of one count, given by its index within a transport's counts. */
    private long sum(int figure) {
        long sum = 0;
        for (int transport = 0; transport < layout.transportCount(); transport++) {
            sum += cells.at(layout.operations(transport) + figure);
        }
        return sum;
    }
}
