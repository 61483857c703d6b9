package io.fairlead.benchmarks;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.metrics.MetricsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One process's side of one of the two contestants: a context without metrics, or one with latencies sampled as by default and its metrics
 * served and scraped once a second while it has its turn.
 */
final class MetricsCostSide implements AutoCloseable {
    private static final long SCRAPE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    /** Seldom: a thread that wakes up often makes the scheduler put two loops that spin on one processor. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Context context;
    private final Worker worker;
    private final Optional<MetricsServer> server;
    private final AtomicLong scrapes = new AtomicLong();
    private final Thread scraper;
    private volatile boolean turn;
    private volatile boolean closed;

    private MetricsCostSide(Context context, Optional<MetricsServer> server) {
        this.context = context;
        this.worker = context.newWorker();
        this.server = server;
        this.scraper = Thread.ofPlatform().daemon().name("scraper").unstarted(this::scrapeInTurns);
    }

    static MetricsCostSide without(PathPolicy policy) {
        FairleadConfig config = config(policy).with(ConfigKeys.LATENCY_SAMPLING, 0);
        return new MetricsCostSide(Context.open(config), Optional.empty());
    }

    static MetricsCostSide with(PathPolicy policy) {
        Context context = Context.open(config(policy).with(ConfigKeys.METRICS_PORT, 0));
        MetricsCostSide side = new MetricsCostSide(context, MetricsServer.start(context));
        side.scraper.start();
        return side;
    }

    /** Patient, because a contestant makes no progress while the other has its turn. */
    private static FairleadConfig config(PathPolicy policy) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.POLICY, policy)
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMinutes(5));
    }

    Worker worker() {
        return worker;
    }

    /** How often the metrics were read. */
    long scrapes() {
        return scrapes.get();
    }

    /** Does something while the scraper may scrape. */
    void inTurn(Runnable round) {
        turn = true;
        try {
            round.run();
        } finally {
            turn = false;
        }
    }

    private void scrapeInTurns() {
        long dueNs = System.nanoTime();
        while (!closed) {
            // The first at once, however short the turns are.
            if ((turn || scrapes.get() == 0) && System.nanoTime() - dueNs >= 0) {
                dueNs = System.nanoTime() + SCRAPE_INTERVAL_NS;
                scrape();
            } else {
                LockSupport.parkNanos(Math.max(LOOK_NS, dueNs - System.nanoTime()));
            }
        }
    }

    private void scrape() {
        try (InputStream page = URI.create(server.orElseThrow().url()).toURL().openStream()) {
            if (page.transferTo(OutputStream.nullOutputStream()) > 0) {
                scrapes.incrementAndGet();
            }
        } catch (IOException failure) {
            if (!closed) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(scraper);
        server.ifPresent(MetricsServer::close);
        try {
            worker.close();
        } catch (FairleadException gone) {
            // The other process was first, which is how every run ends on one of the sides.
        }
        context.close();
    }
}
