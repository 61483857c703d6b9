package io.fairlead.testkit.fault;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.internal.ForwardingProvider;
import io.fairlead.testkit.internal.ForwardingTransport;
import io.fairlead.testkit.internal.ForwardingWorker;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Connections that end again and again in the middle of what was said. What had arrived and was not read is lost. Spares
 * connections that cannot be resumed. Thread-safe.
 */
public final class CutConnections {
    private CutConnections() {}

    /**
     * Wraps a transport.
     *
     * @param inner uses the control connection for its data, as {@code tcp} does
     * @param every the time between two cuts of a worker's connections
     * @return the same over connections that break
     */
    public static TransportProvider of(TransportProvider inner, Duration every) {
        long everyNs = every.toNanos();
        return new ForwardingProvider(inner) {
            @Override
            public Transport open(TransportSetup setup) {
                return new ForwardingTransport(super.open(setup)) {
                    @Override
                    public TransportWorker newWorker(WorkerHost host) {
                        return new CuttingWorker(super.newWorker(host), everyNs);
                    }
                };
            }
        };
    }

    private static final class CuttingWorker extends ForwardingWorker {
        private final long everyNs;
        /** Endpoints that have ended must leave nothing behind here. */
        private final List<WeakReference<Connection>> connections = new ArrayList<>();

        private long cutNs = System.nanoTime();

        CuttingWorker(TransportWorker inner, long everyNs) {
            super(inner);
            this.everyNs = everyNs;
        }

        @Override
        public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
            // Both sides have failover on, and over TCP that is all it takes.
            if (host.mayLeaveLanes()) {
                connections.add(new WeakReference<>(connection));
            }
            return super.connect(host, peerAddress, connection);
        }

        @Override
        public int progress() {
            long nowNs = System.nanoTime();
            if (nowNs - cutNs > everyNs) {
                cutNs = nowNs;
                connections.removeIf(connection -> connection.refersTo(null));
                connections.stream()
                        .map(WeakReference::get)
                        .filter(Objects::nonNull)
                        .map(Connection::channel)
                        .filter(SocketChannel::isConnected)
                        .forEach(CuttingWorker::cut);
            }
            return super.progress();
        }

        private static void cut(SocketChannel socket) {
            try {
                socket.shutdownInput().shutdownOutput();
            } catch (IOException gone) {
                // It is cut.
            }
        }
    }
}
