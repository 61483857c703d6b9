package io.fairlead.internal.statistics;

import io.fairlead.EndpointState;
import io.fairlead.Path;
import io.fairlead.PeerIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The counters of an endpoint. Keeps its worker's gauges of endpoints, by state, path and peer, consistent with it.
 * Called on the worker's thread; any thread may read the counters.
 */
public final class EndpointStatistics extends CounterSet {
    private final WorkerStatistics worker;
    private EndpointState state = EndpointState.CONNECTING;
    /** The number of the transport; 0 until the endpoint is connected. */
    private int transport;
    /** The path of the endpoint in the gauges; null while it is not counted there. */
    private @Nullable Path path;
    /** The counts of its peer; null until it is connected. */
    private @Nullable IdentityFigures peer;

    /** Counts an endpoint that begins to connect. */
    public EndpointStatistics(WorkerStatistics worker) {
        this.worker = worker;
        worker.enterState(transport, state);
    }

    /** The layout's number of the endpoint's transport; 0 until it is connected. */
    public int transport() {
        return transport;
    }

    /** The endpoint is connected. */
    public void markConnected(Path taken, PeerIdentity identity) {
        worker.leaveState(transport, state);
        transport = worker.transport(taken.transport());
        path = taken;
        worker.takePath(transport, taken);
        state = EndpointState.CONNECTED;
        worker.enterState(transport, state);
        worker.addSet(transport, this);
        peer = worker.identities().connect(identity, this, worker);
    }

    /** The endpoint takes another path. Its counters stay those of its transport. */
    public void changePath(Path taken) {
        if (path != null) {
            worker.leavePath(transport, path);
            path = taken;
            worker.takePath(transport, taken);
        }
    }

    /** The endpoint has begun to close. */
    public void markClosing() {
        leave();
        state = EndpointState.CLOSING;
        worker.enterState(transport, state);
    }

    /** The endpoint has closed or failed; later completions are counted in its {@link CounterSet}. Called once. */
    public void markEnded() {
        leave();
    }

    private void leave() {
        worker.leaveState(transport, state);
        if (path != null) {
            worker.leavePath(transport, path);
            path = null;
            if (peer != null) {
                worker.identities().leave(peer);
            }
        }
        if (state == EndpointState.CONNECTING) {
            // Never connected: counted under no transport, so its counts are not lost. A set stays where it was added.
            worker.addSet(transport, this);
        }
    }

    /** The counts are final: the worker's sums keep the values instead of the set. */
    public void foldCounters() {
        worker.foldSet(transport, this);
        if (peer != null) {
            worker.identities().end(peer, this);
        }
    }

    public void recordRoundTrip(long durationNs) {
        worker.recordRoundTrip(transport, durationNs);
    }
}
