package io.fairlead.cli.demo;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.top.Dashboard;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.host.HostPort;
import java.net.InetSocketAddress;
import java.util.Optional;

/** The demo's dashboard, if there is to be one. */
final class Pages implements AutoCloseable {
    private final Optional<Dashboard> dashboard;

    private Pages(Optional<Dashboard> dashboard) {
        this.dashboard = dashboard;
    }

    static Pages none() {
        return new Pages(Optional.empty());
    }

    /** Each process of the demo serves its metrics on a port of its own, and the dashboard takes the one after those. */
    static void checkPorts(FairleadConfig config, boolean dashboard) {
        int first = config.value(ConfigKeys.METRICS_PORT);
        int more = Role.values().length + (dashboard ? 1 : 0);
        if (first > HostPort.PORT_MAX - more) {
            throw CommandFailure.usage("too few ports for the demo: metrics.port=" + first + ", it takes that and the "
                    + more + " after it, up to " + HostPort.PORT_MAX + "; choose a lower one, or 0 for free ones");
        }
    }

    /** Serves it at the metrics' address, on the port after the ports of the demo's processes, or on a free one. */
    static Pages serve(FairleadConfig config) {
        int metricsPort = config.value(ConfigKeys.METRICS_PORT);
        int port = metricsPort > 0 ? metricsPort + 1 + Role.values().length : 0;
        Dashboard started =
                Dashboard.start(new InetSocketAddress(config.value(ConfigKeys.METRICS_ADDRESS), port), config);
        System.err.println("dashboard at " + started.url());
        return new Pages(Optional.of(started));
    }

    /** Draws a process from now on. */
    void watch(String name, Address metrics) {
        dashboard.ifPresent(page -> page.watch(name, metrics));
    }

    @Override
    public void close() {
        dashboard.ifPresent(Dashboard::close);
    }
}
