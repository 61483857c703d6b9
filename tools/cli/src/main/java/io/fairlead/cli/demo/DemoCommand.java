package io.fairlead.cli.demo;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.command.Rate;
import io.fairlead.cli.command.Seconds;
import io.fairlead.cli.keys.TemporaryKeys;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.host.HostPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One publisher and three subscribers, each a process, on recorded rows, with the proof of what arrived. */
@Command(
        name = "demo",
        description = "Publish recorded events from one process to three others, one of them slow on purpose, and prove"
                + " that each got exactly what was sent, or exactly which gaps it chose.")
public final class DemoCommand implements Callable<Integer> {
    /** For TLS, all of which processes load first that start at once; what is configured goes before. */
    private static final List<String> PATIENCE =
            List.of("--set=connect.timeout=30s", "--set=listener.hello-timeout=30s");

    @Option(
            names = "--seconds",
            converter = Seconds.class,
            paramLabel = "N",
            defaultValue = "10",
            description = "How long to publish (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--rate",
            converter = Rate.class,
            paramLabel = "N",
            defaultValue = "20000",
            description = "Rows per second; 0 for as many as can be (default: ${DEFAULT-VALUE}).")
    private double rate;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Where the publisher listens on 127.0.0.1 (default: a free port).")
    private int port;

    @Option(
            names = "--linger",
            converter = Seconds.class,
            paramLabel = "SECONDS",
            description = "Keep the processes for this long after the result, so that their last figures can be scraped"
                    + " (--metrics-port; default: they end).")
    private double linger;

    @Option(
            names = "--dashboard",
            description =
                    "Serve a page on 127.0.0.1 that draws rates and latency while the demo runs, and print where.")
    private boolean dashboard;

    @Option(
            names = "--security",
            description =
                    "Secure all connections (security.mode = encrypted), with keys that are made for this run and deleted"
                            + " at its end (kill -9 leaves them, in fairlead-keys... of the folder for temporary files).")
    private boolean security;

    @Option(
            names = "--switch-every",
            converter = Seconds.class,
            paramLabel = "SECONDS",
            description = "Reset all connections this often, and show that nothing is lost: over TCP (--policy"
                    + " tcp-only), with endpoint.failover = on (default: none is reset).")
    private double switchEvery;

    @Option(names = "--json", description = "Print the result as one JSON document.")
    private boolean json;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() throws InterruptedException {
        Range.between("--port", port, 0, HostPort.PORT_MAX);
        FairleadConfig settings = config.load();
        Pages.checkPorts(settings, dashboard);
        try (StopSignal stop = StopSignal.install();
                Pages pages = dashboard ? Pages.serve(settings) : Pages.none();
                TemporaryKeys keys = security ? TemporaryKeys.make() : null;
                ResettingRelay relay = switchEvery > 0 ? new ResettingRelay(switchEvery, seconds) : null;
                DemoRun run = new DemoRun(
                        stop,
                        (number, name) -> arguments(number, name, keys),
                        linger > 0,
                        pages::watch,
                        Optional.ofNullable(relay))) {
            DemoReport report = secured(run.run(seconds, rate, port));
            if (json) {
                System.out.println(DemoEvent.JSON.writeValueAsString(report));
            } else {
                print(report);
            }
            stop.await((long) (linger * TimeUnit.SECONDS.toNanos(1)));
            return report.ok() ? 0 : CommandFailure.FAILED;
        }
    }

    private DemoReport secured(DemoReport report) {
        return security
                ? new DemoReport(report.subscribers(), report.ok(), report.warmUpSeconds(), Optional.of("encrypted"))
                : report;
    }

    private List<String> arguments(int number, String name, @Nullable TemporaryKeys keys) {
        ConfigOptions options = switchEvery > 0 ? config.withPolicy("tcp-only") : config;
        List<String> arguments = new ArrayList<>(options.toArguments(number));
        if (switchEvery > 0) {
            arguments.add("--set=" + ConfigKeys.FAILOVER.name() + "=on");
        }
        if (keys != null) {
            // Behind what the command line sets: the last one counts.
            keys.settings(name).forEach((key, value) -> arguments.add("--set=" + key + "=" + value));
            arguments.addAll(0, PATIENCE);
        }
        if (dashboard) {
            // There is nothing to draw without metrics.
            arguments.replaceAll(argument -> argument.equals("--metrics-port=-1") ? "--metrics-port=0" : argument);
        }
        if (linger > 0) {
            arguments.add("--linger");
        }
        return arguments;
    }

    private void print(DemoReport report) {
        List<DemoReport.Row> rows = report.subscribers();
        System.out.printf(
                Locale.ROOT,
                "%n%-10s %11s %11s %11s %10s %10s %10s  %s%n",
                "subscriber",
                "sent",
                "received",
                "missed",
                "rows/s",
                "p50 us",
                "p99 us",
                "result");
        for (DemoReport.Row row : rows) {
            System.out.printf(
                    Locale.ROOT,
                    "%-10s %,11d %,11d %,11d %,10.0f %,10.1f %,10.1f  %s%n",
                    row.name(),
                    row.sent(),
                    row.received(),
                    row.gaps(),
                    row.received() / seconds,
                    row.p50Us(),
                    row.p99Us(),
                    result(row));
        }
        System.out.println();
        for (DemoReport.Row row : rows) {
            DemoReport.PathRow path = row.path();
            System.out.printf(
                    Locale.ROOT,
                    "publisher -> %-7s %s over %s: %s%n",
                    row.name(),
                    path.transport().isEmpty() ? "no path" : path.transport(),
                    path.device().isEmpty() ? "nothing" : path.device(),
                    path.reason());
        }
        if (switchEvery > 0) {
            System.out.println("connections went on over others: "
                    + rows.stream()
                            .map(row -> row.name() + " " + row.switches().orElse(0L) + " times")
                            .collect(Collectors.joining(", ")));
        }
        report.security()
                .ifPresent(mode -> System.out.println("security.mode=" + mode
                        + ": each process proved who it is, by TLS 1.3 and a certificate made for this run;"
                        + " shared memory is bound to these connections, and not encrypted"));
        System.out.printf(
                Locale.ROOT,
                "latency is from publish to handler, by the monotonic clock that processes of one host share; the first %.1f s,"
                        + " in which processes warm up, are not in it%n",
                report.warmUpSeconds());
    }

    private static String result(DemoReport.Row row) {
        return row.error()
                .map(error -> "FAILED: " + error)
                .orElseGet(() -> row.gaps() == 0
                        ? "verified: all that was sent"
                        : "verified: all but the gaps it chose and was told of");
    }
}
