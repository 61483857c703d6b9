package io.fairlead.samples.cli;

import io.fairlead.Context;
import io.fairlead.metrics.MetricsServer;
import java.util.Optional;

/** Serves a command's metrics for as long as its context is open, where {@code metrics.port} or {@code --metrics-port} says so. */
public final class MetricsPort implements AutoCloseable {
    private final Optional<MetricsServer> server;

    private MetricsPort(Optional<MetricsServer> server) {
        this.server = server;
    }

    /**
     * Serves the metrics of a context, and tells on standard error where.
     *
     * @param context the command's
     * @return to be closed before the context
     * @throws io.fairlead.FairleadException {@code ADDRESS_UNAVAILABLE} or {@code UNKNOWN_HOST}
     */
    public static MetricsPort open(Context context) {
        Optional<MetricsServer> server = MetricsServer.start(context);
        // Without the prefix of the command's last words: this is no failure.
        server.ifPresent(started -> System.err.println("metrics at " + started.url()));
        return new MetricsPort(server);
    }

    @Override
    public void close() {
        server.ifPresent(MetricsServer::close);
    }
}
