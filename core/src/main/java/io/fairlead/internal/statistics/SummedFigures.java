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
    public long ended(int kind) {
        long sum = 0;
        for (int transport = 0; transport < layout.transports().size(); transport++) {
            sum += cells.at(layout.operation(transport, kind, Status.OK));
        }
        return sum;
    }

    @Override
    public long moved(int kind) {
        long sum = 0;
        for (int transport = 0; transport < layout.transports().size(); transport++) {
            sum += cells.at(layout.bytes(transport, kind));
        }
        return sum;
    }

    @Override
    public long other(Counter counter) {
        return counter == Counter.OPERATIONS_FAILED ? failed() : cells.at(counter.ordinal());
    }

    private long failed() {
        long sum = 0;
        for (int transport = 0; transport < layout.transports().size(); transport++) {
            for (int kind = 0; kind < FigureLayout.KINDS; kind++) {
                for (Status status : Status.values()) {
                    sum += status == Status.OK ? 0 : cells.at(layout.operation(transport, kind, status));
                }
            }
        }
        return sum;
    }
}
