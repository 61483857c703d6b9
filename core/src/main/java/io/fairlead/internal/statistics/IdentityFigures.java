package io.fairlead.internal.statistics;

import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import java.util.IdentityHashMap;

/** The counts of the endpoints to peers of one identity. Guarded by the lock of its {@link IdentityStatistics}. */
// The ordinal never leaves the process, and is the cheapest index.
@SuppressWarnings("EnumOrdinal")
final class IdentityFigures implements OperationFigures {
    /** The sets that may still count, with objects that represent their workers. */
    private final IdentityHashMap<CounterSet, Object> open = new IdentityHashMap<>();
    /** The sums of the other sets. */
    private final long[] ended = new long[CounterSet.SIZE];

    private long connects;
    private long connected;

    void connect(CounterSet set, Object worker) {
        open.put(set, worker);
        connects++;
        connected++;
    }

    /** An endpoint is no longer connected. */
    void leave() {
        connected--;
    }

    /** The counts of a set are final. */
    void end(CounterSet set) {
        if (open.remove(set) != null) {
            keep(set);
        }
    }

    /** A worker is closed: the counts of its sets are final. */
    void endAll(Object worker) {
        open.entrySet().removeIf(entry -> {
            if (!entry.getValue().equals(worker)) {
                return false;
            }
            keep(entry.getKey());
            return true;
        });
    }

    private void keep(CounterSet set) {
        for (int figure = 0; figure < ended.length; figure++) {
            ended[figure] += set.at(figure);
        }
    }

    /** The number of connected endpoints. */
    long connected() {
        return connected;
    }

    @Override
    public long endedWell(int kind) {
        return at(CounterSet.OPERATIONS + FigureLayout.operation(kind, Status.OK));
    }

    @Override
    public long bytesOf(int kind) {
        return at(CounterSet.OPERATIONS + FigureLayout.bytes(kind));
    }

    @Override
    public long failed(int kind, Status status) {
        return at(CounterSet.OPERATIONS + FigureLayout.operation(kind, status));
    }

    @Override
    public long other(Counter counter) {
        return switch (counter) {
            case ENDPOINTS_CONNECTED -> connects;
            case OPERATIONS_IN_FLIGHT ->
                open.keySet().stream().mapToLong(set -> set.other(counter)).sum();
            default -> at(counter.ordinal());
        };
    }

    private long at(int figure) {
        long sum = ended[figure];
        for (CounterSet set : open.keySet()) {
            sum += set.at(figure);
        }
        return sum;
    }
}
