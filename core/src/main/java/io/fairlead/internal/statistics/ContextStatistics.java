package io.fairlead.internal.statistics;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.DurationHistogram;
import io.fairlead.statistics.OperationKind;
import io.fairlead.statistics.Statistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.ToLongBiFunction;

/**
 * The sum over a context's workers. A lock separates readers from the end of workers; the workers' counting does not
 * use it.
 */
// Ordinals never leave the process, and are the cheapest indexes.
@SuppressWarnings("EnumOrdinal")
public final class ContextStatistics implements Statistics {
    private final FigureLayout layout;
    private final IdentityStatistics identities;
    private final List<WorkerStatistics> workers = new ArrayList<>();
    /** The counts of closed workers. */
    private final long[] past;

    private final LongAdder reconnects = new LongAdder();
    private final LongAdder regions = new LongAdder();
    private final LongAdder regionBytes = new LongAdder();

    /**
     * Starts at zero.
     *
     * @param transports the names of the available transports
     * @param identitiesMax number of peer identities that are counted separately
     */
    public ContextStatistics(Iterable<String> transports, int identitiesMax) {
        layout = new FigureLayout(transports);
        past = new long[layout.size()];
        identities = new IdentityStatistics(identitiesMax);
    }

    /** The statistics of a new worker, included in the sums from {@link #open} on. */
    public WorkerStatistics newWorker(int sampling, IntSupplier inFlight) {
        return new WorkerStatistics(layout, identities, sampling, System.nanoTime(), inFlight);
    }

    public synchronized void open(WorkerStatistics worker) {
        workers.add(worker);
    }

    /** The worker is closed and counts nothing any more. */
    public synchronized void close(WorkerStatistics worker) {
        if (workers.remove(worker)) {
            for (int cell = 0; cell < past.length; cell++) {
                past[cell] += worker.cell(cell);
            }
            identities.close(worker);
        }
    }

    public void regionOpened(long length) {
        regions.increment();
        regionBytes.add(length);
    }

    public void regionClosed(long length) {
        regions.decrement();
        regionBytes.add(-length);
    }

    public void countReconnect() {
        reconnects.increment();
    }

    @Override
    public List<String> transports() {
        return layout.transports();
    }

    @Override
    public synchronized long value(Counter counter) {
        return switch (counter) {
            case WORKERS -> workers.size();
            case REGIONS -> regions.sum();
            case REGION_BYTES -> regionBytes.sum();
            case RECONNECTS -> reconnects.sum();
            case PROGRESS_GAP_NS -> longestNs(StallMonitor::gapNs);
            case PROGRESS_STALL_NS -> longestNs(StallMonitor::stallNs);
            default -> new SummedFigures(layout, this::sum).figure(counter);
        };
    }

    private long longestNs(ToLongBiFunction<StallMonitor, Long> duration) {
        long nowNs = System.nanoTime();
        long longest = 0;
        for (WorkerStatistics worker : workers) {
            longest = Math.max(longest, duration.applyAsLong(worker.stalls(), nowNs));
        }
        return longest;
    }

    private long sum(int cell) {
        long sum = past[cell];
        for (int i = 0; i < workers.size(); i++) {
            sum += workers.get(i).cell(cell);
        }
        return sum;
    }

    private synchronized DurationHistogram histogram(int first) {
        long[] counts = new long[DurationHistogram.BUCKETS];
        for (int bucket = 0; bucket < counts.length; bucket++) {
            counts[bucket] = sum(first + bucket);
        }
        return new DurationHistogram(counts, sum(first + counts.length));
    }

    private synchronized long at(int cell) {
        return sum(cell);
    }

    @Override
    public long operations(String transport, OperationKind kind, Status status) {
        return at(layout.operation(layout.transport(transport), kind.ordinal(), status));
    }

    @Override
    public long bytes(String transport, OperationKind kind) {
        return at(layout.bytes(layout.transport(transport), kind.ordinal()));
    }

    @Override
    public DurationHistogram latency(String transport, OperationKind kind) {
        return histogram(layout.latency(layout.transport(transport), kind.ordinal()));
    }

    @Override
    public DurationHistogram controlRoundTrip(String transport) {
        return histogram(layout.roundTrip(layout.transport(transport)));
    }

    @Override
    public long endpoints(String transport, EndpointState state) {
        return at(layout.state(layout.transport(transport), state));
    }

    @Override
    public long paths(String transport, PathClass pathClass, PathCause cause) {
        return at(layout.path(layout.transport(transport), pathClass, cause));
    }

    @Override
    public List<String> identities() {
        return identities.names();
    }

    @Override
    public long value(Counter counter, String identity) {
        return identities.value(counter, identity);
    }

    @Override
    public long connectedEndpoints(String identity) {
        return identities.connected(identity);
    }

    @Override
    public long refusals(Reason reason) {
        return at(layout.refusal(reason));
    }

    @Override
    public long connectFailures(Reason cause) {
        return at(layout.connectFailure(cause));
    }

    @Override
    public long peerFailures(Reason cause) {
        return at(layout.peerFailure(cause));
    }

    @Override
    public long detectionNs(Reason cause) {
        return at(layout.detection(cause));
    }
}
