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
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transport whose endpoints a case can make leave their lanes. For cases whose thread drives all workers. */
final class LaneProvider extends ForwardingProvider {
    /** The endpoints that were made since the last {@link #forget}. */
    private final List<LaneEndpoint> made = new ArrayList<>();
    /** How long endpoints sent nothing, in nanoseconds; null if nobody asks. */
    private @Nullable Pauses pauses;

    /**
     * What endpoints have reported of their pauses.
     *
     * @param leaving from the failure of the lanes until the endpoint goes on
     * @param returning in which nothing was sent on the way back
     */
    record Pauses(List<Long> leaving, List<Long> returning) {
        /** The longest of a share of them, in nanoseconds. */
        static long percentile(List<Long> pauses, double share) {
            List<Long> sorted = pauses.stream().sorted().toList();
            return sorted.get((int) Math.min(sorted.size() - 1, Math.round(share * sorted.size())));
        }
    }

    /** Records the pauses of endpoints that are made from now on. */
    Pauses recordPauses() {
        Pauses recording = new Pauses(new ArrayList<>(), new ArrayList<>());
        pauses = recording;
        return recording;
    }

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

    /** A host that also records the pauses reported to it. */
    private static EndpointHost reporting(EndpointHost host, Pauses recording) {
        return (EndpointHost) Proxy.newProxyInstance(
                EndpointHost.class.getClassLoader(), new Class<?>[] {EndpointHost.class}, (_, method, arguments) -> {
                    switch (method.getName()) {
                        case "leftLanes" -> recording.leaving().add((Long) arguments[1]);
                        case "returnedToLanes" -> recording.returning().add((Long) arguments[0]);
                        default -> {
                            // Nothing of a pause.
                        }
                    }
                    try {
                        return method.invoke(host, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private final class LaneWorker extends ForwardingWorker {
        LaneWorker(TransportWorker inner) {
            super(inner);
        }

        @Override
        public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
            Pauses recording = pauses;
            TransportEndpoint endpoint =
                    super.connect(recording == null ? host : reporting(host, recording), peerAddress, connection);
            made.add((LaneEndpoint) endpoint);
            return endpoint;
        }
    }
}
