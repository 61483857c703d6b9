package io.fairlead.cli.top;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.files.FilePath;
import io.fairlead.metrics.MetricsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/**
 * A page that draws what processes do, live, from the metrics that they serve. A thread of its own looks at them every second, so
 * that any number of browsers costs them nothing. Thread-safe.
 */
public final class Dashboard implements AutoCloseable {
    private static final String PAGE = "/dashboard";
    private static final long INTERVAL_MS = 1000;
    /** As much as the page draws. */
    private static final int POINTS_MAX = 121;

    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(10);
    private static final double SECOND_NS = 1e9;

    private final ScrapeClient client;
    private final List<WatchedProcess> watched = new CopyOnWriteArrayList<>();
    private final Deque<DashboardPoint> points = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final long startNs = System.nanoTime();
    private final MetricsServer server;

    private Dashboard(InetSocketAddress address, FairleadConfig config) {
        String page = page();
        String tokenFile = config.value(ConfigKeys.METRICS_TOKEN_FILE);
        client = ScrapeClient.open(
                tokenFile.isBlank()
                        ? Optional.empty()
                        : Optional.of(FilePath.of(
                                tokenFile,
                                "the file of " + ConfigKeys.METRICS_TOKEN_FILE.name(),
                                config.origin(ConfigKeys.METRICS_TOKEN_FILE))));
        MetricsServer.Builder builder = MetricsServer.builder();
        if (config.value(ConfigKeys.SECURITY_ALLOW_INSECURE)) {
            // No token, which a browser would not know how to show.
            builder.allowInsecure();
        }
        server = builder.address(address)
                .page(PAGE, "text/html", () -> page)
                .page(PAGE + "/points", "application/json", this::points)
                .start();
    }

    /**
     * Starts to serve the page.
     *
     * @param address where; port 0 takes a free one
     * @param config how the processes protect their metrics, and whether the page may be beyond loopback
     * @return with nothing to show yet
     * @throws io.fairlead.FairleadException {@code ADDRESS_UNAVAILABLE}, {@code UNKNOWN_HOST}, or {@code CONFIGURATION} for an address beyond loopback
     */
    public static Dashboard start(InetSocketAddress address, FairleadConfig config) {
        if (!config.value(ConfigKeys.METRICS_TLS).equals("off")) {
            throw CommandFailure.usage("the page reads metrics without TLS alone: metrics.tls="
                    + config.value(ConfigKeys.METRICS_TLS) + "; leave out the page, or set metrics.tls = off");
        }
        if (!address.isUnresolved()
                && !address.getAddress().isLoopbackAddress()
                && !config.value(ConfigKeys.SECURITY_ALLOW_INSECURE)) {
            throw CommandFailure.usage("the page is for loopback, because a browser shows no token: metrics.address="
                    + address.getHostString() + "; set metrics.address = 127.0.0.1, or security.allow-insecure = true"
                    + " where everybody on the network may read it");
        }
        Dashboard dashboard = new Dashboard(address, config);
        Thread.ofPlatform().daemon().name("fairlead-dashboard").start(dashboard::run);
        return dashboard;
    }

    /**
     * Shows a process from now on.
     *
     * @param name what to call it
     * @param metrics where it serves its metrics
     */
    public void watch(String name, Address metrics) {
        watched.add(new WatchedProcess(name, new Target(metrics, client, ANSWER_NS)));
    }

    /**
     * Where the page is.
     *
     * @return for a browser
     */
    public String url() {
        return server.url().replaceFirst("/metrics$", PAGE);
    }

    private static String page() {
        try (InputStream in = Objects.requireNonNull(Dashboard.class.getResourceAsStream("dashboard.html"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run() {
        try {
            while (!closed.await(INTERVAL_MS, TimeUnit.MILLISECONDS)) {
                add(look());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private DashboardPoint look() throws InterruptedException {
        List<DashboardPoint.Row> rows = new ArrayList<>();
        for (WatchedProcess process : watched) {
            process.look().ifPresent(figures -> rows.add(DashboardPoint.Row.of(process.name(), figures)));
        }
        return new DashboardPoint((System.nanoTime() - startNs) / SECOND_NS, rows);
    }

    private synchronized void add(DashboardPoint point) {
        points.addLast(point);
        if (points.size() > POINTS_MAX) {
            points.removeFirst();
        }
    }

    private synchronized String points() {
        return JsonMapper.shared().writeValueAsString(List.copyOf(points));
    }

    @Override
    public void close() {
        closed.countDown();
        server.close();
        client.shutdownNow();
    }

    /** One process, and its last scrape. */
    private static final class WatchedProcess {
        private final String name;
        private final Target target;
        private Optional<Scrape> latest = Optional.empty();

        WatchedProcess(String name, Target target) {
            this.name = name;
            this.target = target;
        }

        String name() {
            return name;
        }

        /** What it did since the last look; empty at first, and once it has ended. */
        Optional<Frame.Figures> look() throws InterruptedException {
            try {
                Scrape now = target.scrape();
                Optional<Frame.Figures> figures = latest.map(before -> new Reading(before, now).figures());
                latest = Optional.of(now);
                return figures;
            } catch (CommandFailure e) {
                // A process that ends is part of a demo; the page shows it as a line that stops.
                return Optional.empty();
            }
        }
    }
}
