package io.fairlead.cli.command;

import io.fairlead.Context;
import io.fairlead.metrics.MetricsServer;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Serves a command's metrics for as long as its context is open, where {@code metrics.port} or {@code --metrics-port} says so. */
public final class MetricsPort implements AutoCloseable {
    private static final Pattern TOLD = Pattern.compile("metrics at http://(\\S+)/metrics");

    private final Optional<MetricsServer> server;

    private MetricsPort(Optional<MetricsServer> server) {
        this.server = server;
    }

    /**
     * Serves the metrics of a context, and prints the URL on standard error.
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

    /**
     * Finds the metrics address that a child process printed.
     *
     * @param line a line of its standard error
     * @return where it serves metrics, if the line says so
     */
    public static Optional<Address> parse(String line) {
        Matcher told = TOLD.matcher(line);
        return told.matches() ? Optional.of(Address.parse(told.group(1))) : Optional.empty();
    }

    @Override
    public void close() {
        server.ifPresent(MetricsServer::close);
    }
}
