package io.fairlead.benchmarks;

import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.contest.FairleadLink;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.contest.LinkSide;
import io.fairlead.cli.measure.Side;
import io.fairlead.config.ConfigKeys;
import io.fairlead.metrics.MetricsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Both contestants of {@code bench metrics-cost} in one process, so that they run the same compiled code: a context without metrics, and one with
 * latencies sampled as by default and its metrics served, and scraped once a second while it has its turn. Its arguments are the policy.
 */
final class MetricsSide implements Side {
    static final String OFF = "off";
    static final String ON = "on";
    /** A turn that returns how often the metrics were read. */
    static final String SCRAPES = "scrapes";

    private static final long SCRAPE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    /** Seldom: a thread that wakes up often makes the scheduler put two loops that spin on one processor. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final FairleadLink offLink;
    private final LinkSide off;
    private final LinkSide on;
    private final MetricsServer server;
    private final AtomicLong scrapes = new AtomicLong();
    private final Thread scraper;
    private volatile boolean turn;
    private volatile boolean closed;

    MetricsSide(List<String> arguments, Optional<String> address) {
        FairleadConfig config = FairleadPeer.config(arguments.getFirst(), Idle.SPIN);
        String[] ports = address.orElse(" ").split(" ", -1);
        offLink = new FairleadLink(
                new FairleadPeer(config.with(ConfigKeys.LATENCY_SAMPLING, 0)), address.map(_ -> ports[0]));
        off = new LinkSide(offLink, Idle.SPIN);
        FairleadPeer peer = new FairleadPeer(config.with(ConfigKeys.METRICS_PORT, 0));
        server = MetricsServer.start(peer.context()).orElseThrow();
        on = new LinkSide(new FairleadLink(peer, address.map(_ -> ports[1])), Idle.SPIN);
        scraper = Thread.ofPlatform().daemon().name("scraper").start(this::scrapeInTurns);
    }

    /** The ports of both, or the transport that they go over. */
    @Override
    public String address() {
        return off.address().isEmpty()
                ? offLink.endpoint().path().orElseThrow().transport()
                : off.address() + " " + on.address();
    }

    @Override
    public void awaitPeer() {
        off.awaitPeer();
        on.awaitPeer();
    }

    @Override
    public String turn(String line, Runnable begun) {
        if (line.equals(SCRAPES)) {
            return String.valueOf(scrapes.get());
        }
        String[] parts = line.split(" ", 2);
        if (parts[0].equals(OFF)) {
            return off.turn(parts[1], begun);
        }
        turn = true;
        try {
            return on.turn(parts[1], begun);
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
        try (InputStream page = URI.create(server.url()).toURL().openStream()) {
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
        server.close();
        off.close();
        on.close();
    }
}
