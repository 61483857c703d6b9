package io.fairlead.internal.statistics;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import io.fairlead.statistics.DurationHistogram;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntSupplier;

/**
 * What a worker counts. The worker's thread alone writes, plainly as {@link CounterSet}; any thread reads.
 *
 * <p>Operations are counted once, by transport, kind and status; the sums that {@link Counter} asks for are made by the reader.
 */
// The ordinal never leaves the process, and is the cheapest index there is.
@SuppressWarnings("EnumOrdinal")
public final class WorkerStatistics implements Counters {
    /** An operation that is not timed. */
    public static final long UNTIMED = Long.MIN_VALUE;

    private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);

    private final FigureLayout layout;
    private final long[] cells;
    private final StallMonitor watch;
    private final IntSupplier inFlight;
    private final int sampling;
    private int untilTimed;
    private long random = System.nanoTime() | 1;

    /**
     * Starts at zero.
     *
     * @param inFlight operations that have begun and not ended, read by any thread
     * @param sampling of how many operations one is timed, 0 for none
     */
    WorkerStatistics(FigureLayout layout, int sampling, long nowNs, IntSupplier inFlight) {
        this.inFlight = inFlight;
        this.layout = layout;
        this.cells = new long[layout.size()];
        this.watch = new StallMonitor(nowNs);
        this.sampling = sampling;
        this.untilTimed = sampling == 0 ? 0 : nextTimed();
    }

    public FigureLayout layout() {
        return layout;
    }

    public StallMonitor watch() {
        return watch;
    }

    public void add(Counter counter, long amount) {
        add(counter.ordinal(), amount);
    }

    public void set(Counter counter, long value) {
        cells[counter.ordinal()] = value;
    }

    private void add(int cell, long amount) {
        cells[cell] += amount;
    }

    // Operations.

    /** An operation begins: when, if it is to be timed. */
    public long began() {
        // Without sampling this counts down from 0 and meets it again after four thousand million operations.
        if (--untilTimed == 0 && sampling != 0) {
            untilTimed = nextTimed();
            return System.nanoTime();
        }
        return UNTIMED;
    }

    /**
     * An operation has ended.
     *
     * @param kind the number of its kind
     * @param length of its payload
     * @param figures where those of its transport's operations begin
     */
    public void ended(int kind, Status status, long length, int figures) {
        add(figures + FigureLayout.operation(kind, status), 1);
        if (status == Status.OK && kind < FigureLayout.ATOMIC) {
            add(figures + FigureLayout.bytes(kind), length);
        }
    }

    /**
     * An operation that was timed has ended well.
     *
     * @param kind the number of its kind
     * @param startedNs what {@link #began} returned
     * @param figures where those of its transport's operations begin
     * @return how long it took
     */
    public long timed(int kind, long startedNs, int figures) {
        long durationNs = System.nanoTime() - startedNs;
        record(layout.latency(layout.transportAt(figures), kind), durationNs);
        return durationNs;
    }

    /** Random with the right mean: a fixed step would see only one half of a ping-pong. */
    private int nextTimed() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return 1 + (int) Long.remainderUnsigned(random, 2L * sampling - 1);
    }

    private void record(int histogram, long durationNs) {
        add(histogram + DurationHistogram.bucket(durationNs), 1);
        add(histogram + DurationHistogram.BUCKETS, Math.max(0, durationNs));
    }

    // Endpoints.

    public void roundTrip(int transport, long durationNs) {
        record(layout.roundTrip(transport), durationNs);
    }

    public void entered(int transport, EndpointState state) {
        add(layout.state(transport, state), 1);
    }

    public void left(int transport, EndpointState state) {
        add(layout.state(transport, state), -1);
    }

    public void took(int transport, Path path, int count) {
        add(layout.path(transport, path.pathClass(), path.cause()), count);
    }

    public void refused(Reason reason) {
        add(layout.refusal(reason), 1);
    }

    public void connectFailed(Reason cause) {
        add(layout.connectFailure(cause), 1);
    }

    public void peerFailed(Reason cause, long silentNs) {
        add(layout.peerFailure(cause), 1);
        add(layout.detection(cause), Math.max(0, silentNs));
    }

    // Reading, on any thread.

    long cell(int index) {
        if (index == Counter.OPERATIONS_IN_FLIGHT.ordinal()) {
            return inFlight.getAsInt();
        }
        return (long) CELLS.getOpaque(cells, index);
    }

    @Override
    public long value(Counter counter) {
        if (counter == Counter.PROGRESS_GAP_NS) {
            return watch.gapNs(System.nanoTime());
        }
        if (counter == Counter.PROGRESS_STALL_NS) {
            return watch.stallNs(System.nanoTime());
        }
        return new SummedFigures(layout, this::cell).figure(counter);
    }
}
