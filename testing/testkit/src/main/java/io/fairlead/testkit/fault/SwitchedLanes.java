package io.fairlead.testkit.fault;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.internal.ForwardingProvider;
import io.fairlead.testkit.internal.ForwardingTransport;
import io.fairlead.testkit.internal.ForwardingWorker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * Endpoints that leave their lanes and return to them again and again, in the middle of what is under way. Spares endpoints that must stay on their lanes.
 * Thread-safe.
 */
public final class SwitchedLanes {
    private final TransportProvider inner;
    private final long everyNs;
    private final LongAdder left = new LongAdder();

    /**
     * Wraps a transport.
     *
     * @param inner has endpoints that can leave their lanes, as {@code shm} and {@code ucx} do
     * @param every the time between two switches of a worker's endpoints
     */
    public SwitchedLanes(TransportProvider inner, Duration every) {
        this.inner = inner;
        this.everyNs = every.toNanos();
    }

    /**
     * How often endpoints were made to leave their lanes.
     *
     * @return a count for all workers
     */
    public long count() {
        return left.sum();
    }

    /**
     * The transport with endpoints that switch.
     *
     * @return a new provider
     */
    public TransportProvider provider() {
        return new ForwardingProvider(inner) {
            @Override
            public Transport open(TransportSetup setup) {
                return new ForwardingTransport(super.open(setup)) {
                    @Override
                    public TransportWorker newWorker(WorkerHost host) {
                        return new SwitchingWorker(super.newWorker(host));
                    }
                };
            }
        };
    }

    private final class SwitchingWorker extends ForwardingWorker {
        /** Endpoints that have ended must leave nothing behind here. */
        private final List<WeakReference<LaneEndpoint>> endpoints = new ArrayList<>();

        private long switchedNs = System.nanoTime();

        SwitchingWorker(TransportWorker inner) {
            super(inner);
        }

        @Override
        public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
            TransportEndpoint endpoint = super.connect(host, peerAddress, connection);
            if (endpoint instanceof LaneEndpoint lanes && host.mayLeaveLanes()) {
                endpoints.add(new WeakReference<>(lanes));
            }
            return endpoint;
        }

        @Override
        public int progress() {
            long nowNs = System.nanoTime();
            if (nowNs - switchedNs > everyNs) {
                switchedNs = nowNs;
                endpoints.removeIf(endpoint -> endpoint.refersTo(null));
                endpoints.stream()
                        .map(WeakReference::get)
                        .filter(Objects::nonNull)
                        .forEach(this::change);
            }
            return super.progress();
        }

        private void change(LaneEndpoint endpoint) {
            if (endpoint.tryLeaveLanes("the test switches lanes")) {
                left.increment();
            } else {
                // False at the connector's side, and while both sides return already.
                boolean _ = endpoint.tryReturnToLanes();
            }
        }
    }
}
