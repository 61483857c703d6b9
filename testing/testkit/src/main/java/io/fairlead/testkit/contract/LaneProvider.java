package io.fairlead.testkit.contract;

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
import java.util.ArrayList;
import java.util.List;

/** A transport whose endpoints a case can make leave their lanes. For cases whose thread drives all workers. */
final class LaneProvider extends ForwardingProvider {
    /** The endpoints that were made since the last {@link #forget}. */
    private final List<LaneEndpoint> made = new ArrayList<>();

    LaneProvider(TransportProvider inner) {
        super(inner);
    }

    void forget() {
        made.clear();
    }

    /** How many endpoints were made. */
    int count() {
        return made.size();
    }

    /** Has an endpoint leave its lanes; false if it has left, or leaves. */
    boolean tryBreak(int endpoint) {
        return made.get(endpoint).tryLeaveLanes("the contract suite has broken it");
    }

    /** Has the listener's side try to go back to its lanes; false if no endpoint begins that. */
    boolean tryReturn() {
        boolean begins = false;
        for (LaneEndpoint endpoint : made) {
            begins |= endpoint.tryReturnToLanes();
        }
        return begins;
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new ForwardingTransport(super.open(setup)) {
            @Override
            public TransportWorker newWorker(WorkerHost host) {
                return new LaneWorker(super.newWorker(host));
            }
        };
    }

    private final class LaneWorker extends ForwardingWorker {
        LaneWorker(TransportWorker inner) {
            super(inner);
        }

        @Override
        public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
            TransportEndpoint endpoint = super.connect(host, peerAddress, connection);
            made.add((LaneEndpoint) endpoint);
            return endpoint;
        }
    }
}
