package io.fairlead.internal.statistics;

import java.util.Arrays;

/**
 * Adds the counts of a worker's endpoints: the sets of the open ones, and the totals of the ended ones. The worker's
 * thread opens and ends sets, any thread reads.
 *
 * <p>A set is replaced by its part of the totals in one store: a reader finds the set, or its final values in the
 * totals, never both or neither. A sum that only grows therefore never decreases for a reader, and no thread waits. An
 * ended set counts nothing any more.
 */
final class EndpointSums {
    private static final CounterSet[] NONE = {};

    private final FigureLayout layout;
    private volatile Sums sums;

    /** The state for readers; replaced as a whole, and never changed. */
    private static final class Sums {
        /** By the transport of their endpoints. */
        private final CounterSet[][] open;
        /** The totals, by the worker's indexes. */
        private final long[] ended;

        private Sums(CounterSet[][] open, long[] ended) {
            this.open = open;
            this.ended = ended;
        }
    }

    EndpointSums(FigureLayout layout) {
        this.layout = layout;
        CounterSet[][] open = new CounterSet[layout.transportCount()][];
        Arrays.fill(open, NONE);
        this.sums = new Sums(open, new long[layout.endpointFigures()]);
    }

    /** Adds a set to the sums of a transport. */
    void open(int transport, CounterSet set) {
        CounterSet[] of = sums.open[transport];
        CounterSet[] more = Arrays.copyOf(of, of.length + 1);
        more[of.length] = set;
        sums = new Sums(with(transport, more), sums.ended);
    }

    /** Ends a set, whose counts are final; no effect for a set that is not open. */
    void end(int transport, CounterSet set) {
        CounterSet[] of = sums.open[transport];
        int place = Arrays.asList(of).indexOf(set);
        if (place < 0) {
            return;
        }
        CounterSet[] fewer = Arrays.copyOf(of, of.length - 1);
        if (place < fewer.length) {
            fewer[place] = of[of.length - 1];
        }
        long[] ended = sums.ended.clone();
        for (int figure = 0; figure < CounterSet.OPERATIONS; figure++) {
            ended[figure] += set.at(figure);
        }
        int operations = layout.operations(transport);
        for (int figure = 0; figure < FigureLayout.OPERATIONS; figure++) {
            ended[operations + figure] += set.at(CounterSet.OPERATIONS + figure);
        }
        sums = new Sums(with(transport, fewer), ended);
    }

    private CounterSet[][] with(int transport, CounterSet[] sets) {
        CounterSet[][] open = sums.open.clone();
        open[transport] = sets;
        return open;
    }

    /**
     * The sum of a count over all endpoints, on any thread.
     *
     * @param figure its index in a worker's layout, below {@link FigureLayout#endpointFigures}
     */
    long at(int figure) {
        Sums now = sums;
        long sum = now.ended[figure];
        if (figure < CounterSet.OPERATIONS) {
            for (CounterSet[] of : now.open) {
                sum += sum(of, figure);
            }
            return sum;
        }
        int transport = layout.transportAt(figure);
        return sum + sum(now.open[transport], CounterSet.OPERATIONS + figure - layout.operations(transport));
    }

    private static long sum(CounterSet[] sets, int index) {
        long sum = 0;
        for (CounterSet set : sets) {
            sum += set.at(index);
        }
        return sum;
    }
}
