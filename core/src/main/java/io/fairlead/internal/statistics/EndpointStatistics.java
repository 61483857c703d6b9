package io.fairlead.internal.statistics;

import io.fairlead.EndpointState;
import io.fairlead.Path;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** One endpoint's part of its worker's statistics: what it counts, and where it is counted itself. On the worker's thread. */
public final class EndpointStatistics {
    private final WorkerStatistics worker;
    private final CounterSet counters;
    private EndpointState state = EndpointState.CONNECTING;
    /** The number of the transport; 0 until the endpoint is connected. */
    private int transport;
    /** The path that the endpoint is counted under, while it is. */
    private @Nullable Path path;

    /**
     * Counts an endpoint that begins to connect.
     *
     * @param inFlight its operations that have begun and not ended, read by any thread
     */
    public EndpointStatistics(WorkerStatistics worker, IntSupplier inFlight) {
        this.worker = worker;
        this.counters = new CounterSet(inFlight);
        worker.enterState(transport, state);
    }

    public CounterSet counters() {
        return counters;
    }

    /** The number of the transport; 0 until the endpoint is connected. */
    public int transport() {
        return transport;
    }

    /** The endpoint is connected. */
    public void connect(Path taken) {
        worker.leaveState(transport, state);
        transport = worker.transport(taken.transport());
        path = taken;
        worker.takePath(transport, taken);
        state = EndpointState.CONNECTED;
        worker.enterState(transport, state);
        worker.openEndpoint(transport, counters);
    }

    /** The endpoint has begun to close. */
    public void beginClose() {
        leave();
        state = EndpointState.CLOSING;
        worker.enterState(transport, state);
    }

    /** The endpoint has closed or failed; what it still has to complete is counted in its set. */
    public void end() {
        leave();
    }

    private void leave() {
        worker.leaveState(transport, state);
        if (path != null) {
            worker.leavePath(transport, path);
            path = null;
        }
        if (state == EndpointState.CONNECTING) {
            // A set is of one transport for good, and of none if its endpoint was never connected.
            worker.openEndpoint(transport, counters);
        }
    }

    /** Nothing can be counted any more: the sums of the worker keep the set's figures instead of the set. */
    public void retire() {
        worker.endEndpoint(transport, counters);
    }

    public void recordRoundTrip(long durationNs) {
        worker.recordRoundTrip(transport, durationNs);
    }
}
