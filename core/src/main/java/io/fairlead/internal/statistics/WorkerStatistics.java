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
 * The counts of a worker. Only the worker's thread writes, by plain stores as in {@link CounterSet}; any thread reads.
 *
 * <p>An operation is counted once, by kind and status, in the set of its endpoint, or here if it has none. The reader
 * computes the sums over endpoints, and the values of each {@link Counter}.
 */
// The ordinal never leaves the process, and is the cheapest index.
@SuppressWarnings("EnumOrdinal")
public final class WorkerStatistics implements Counters {
    /** An operation that is not timed. */
    public static final long UNTIMED = Long.MIN_VALUE;

    private static final int PROGRESS_CALLS = Counter.PROGRESS_CALLS.ordinal();
    private static final int PROGRESS_IDLE = Counter.PROGRESS_IDLE.ordinal();
    private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);

    private final FigureLayout layout;
    private final IdentityStatistics identities;
    private final long[] cells;
    private final EndpointSums endpoints;
    private final StallMonitor stalls;
    private final IntSupplier inFlight;
    private final int sampling;
    private int untilTimed;
    private long random = System.nanoTime() | 1;

    /**
     * Starts at zero.
     *
     * @param identities the counts by peer, for all workers of the context
     * @param inFlight operations that have begun and not ended, read by any thread
     * @param sampling one operation out of this many is timed, 0 for none
     */
    WorkerStatistics(
            FigureLayout layout, IdentityStatistics identities, int sampling, long nowNs, IntSupplier inFlight) {
        this.inFlight = inFlight;
        this.layout = layout;
        this.identities = identities;
        this.cells = new long[layout.size()];
        this.endpoints = new EndpointSums(layout);
        this.stalls = new StallMonitor(nowNs);
        this.sampling = sampling;
        this.untilTimed = sampling == 0 ? 0 : nextTimed();
    }

    /** The number of a transport; 0 is none. */
    int transport(String name) {
        return layout.transport(name);
    }

    public StallMonitor stalls() {
        return stalls;
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

    /** Counts a turn of progress. */
    public void countTurn(int events) {
        cells[PROGRESS_CALLS]++;
        if (events == 0) {
            cells[PROGRESS_IDLE]++;
        }
    }

    // Operations.

    /** An operation begins: returns the time, if its latency is measured. */
    public long sampleStart() {
        // Without sampling this counts down from 0 and reaches it again after four thousand million operations.
        if (--untilTimed == 0 && sampling != 0) {
            untilTimed = nextTimed();
            return System.nanoTime();
        }
        return UNTIMED;
    }

    /**
     * Counts an ended operation without an endpoint.
     *
     * @param kind the number of its kind
     */
    public void countOperation(int kind, Status status) {
        add(layout.operation(0, kind, status), 1);
    }

    /**
     * Records the latency of a successful operation.
     *
     * @param transport the number of its transport
     * @param kind the number of its kind
     * @param startedNs the result of {@link #sampleStart}
     * @return the latency
     */
    public long recordLatency(int transport, int kind, long startedNs) {
        long durationNs = System.nanoTime() - startedNs;
        record(layout.latency(transport, kind), durationNs);
        return durationNs;
    }

    /** Random with the right mean: a fixed step would sample only one half of a ping-pong. */
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

    /** From now on the counts of an endpoint's set are part of the worker's sums. */
    void addSet(int transport, CounterSet set) {
        endpoints.open(transport, set);
    }

    /**
     * An endpoint has ended and its counts are final; the sums keep them. Only the first call for a set has an effect.
     */
    void foldSet(int transport, CounterSet set) {
        endpoints.end(transport, set);
    }

    /** The counts by peer. */
    IdentityStatistics identities() {
        return identities;
    }

    void recordRoundTrip(int transport, long durationNs) {
        record(layout.roundTrip(transport), durationNs);
    }

    void enterState(int transport, EndpointState state) {
        add(layout.state(transport, state), 1);
    }

    void leaveState(int transport, EndpointState state) {
        add(layout.state(transport, state), -1);
    }

    void takePath(int transport, Path path) {
        add(layout.path(transport, path.pathClass(), path.cause()), 1);
    }

    void leavePath(int transport, Path path) {
        add(layout.path(transport, path.pathClass(), path.cause()), -1);
    }

    public void countRefusal(Reason reason) {
        add(layout.refusal(reason), 1);
    }

    public void countConnectFailure(Reason cause) {
        add(layout.connectFailure(cause), 1);
    }

    public void countPeerFailure(Reason cause, long idleNs) {
        add(layout.peerFailure(cause), 1);
        add(layout.detection(cause), Math.max(0, idleNs));
    }

    // Reading, on any thread.

    long cell(int index) {
        if (index == Counter.OPERATIONS_IN_FLIGHT.ordinal()) {
            return inFlight.getAsInt();
        }
        long own = (long) CELLS.getOpaque(cells, index);
        return index < layout.endpointFigures() ? own + endpoints.at(index) : own;
    }

    @Override
    public long value(Counter counter) {
        if (counter == Counter.PROGRESS_GAP_NS) {
            return stalls.gapNs(System.nanoTime());
        }
        if (counter == Counter.PROGRESS_STALL_NS) {
            return stalls.stallNs(System.nanoTime());
        }
        return new SummedFigures(layout, this::cell).figure(counter);
    }
}
