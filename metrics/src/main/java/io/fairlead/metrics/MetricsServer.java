package io.fairlead.metrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a registry over HTTP: {@code /metrics} for Prometheus, in its text format or in OpenMetrics as the {@code Accept} header asks,
 * {@code /health} and {@code /ready} for whoever restarts processes and sends them work. Thread-safe.
 *
 * <p>It has threads of its own and takes none of messaging's; what goes wrong here leaves messaging alone. Whoever can connect can read:
 * it listens on the loopback address unless told otherwise, without TLS or passwords. It holds at most 64 connections, each for one
 * request, which has to be there within 5 seconds, and its answer read within 30; where there are more, the one that has said nothing for
 * longest goes first.
 */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
    /** Scrapes at once; more than a few are a mistake of somebody's, and each costs memory. */
    private static final int SCRAPES_MAX = 4;

    private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
    /** More than scrapers and probes have use for, and few beside what messaging needs. */
    private static final BoundedHttpServer.Limits LIMITS =
            new BoundedHttpServer.Limits(64, Duration.ofSeconds(5), Duration.ofSeconds(30));

    private final BoundedHttpServer http;
    private final Map<String, HttpHandler> pages = new HashMap<>();
    private final Semaphore scrapes = new Semaphore(SCRAPES_MAX);
    private final LongAdder dropped;
    private final HttpHandler metrics;
    private volatile boolean closing;

    private MetricsServer(Builder builder) throws IOException {
        this.metrics = new MetricsHandler(builder.registry.getPrometheusRegistry());
        this.dropped = new LongAdder();
        FunctionCounter.builder(FairleadMeter.SCRAPES_DROPPED.meterName(), dropped, LongAdder::sum)
                .description(FairleadMeter.SCRAPES_DROPPED.description())
                .register(builder.registry);
        pages.put("/metrics", this::scrape);
        pages.put("/health", exchange -> probe(exchange, builder.health));
        pages.put("/ready", exchange -> probe(exchange, builder.ready));
        pages.putAll(builder.pages);
        // Last, since requests may come at once.
        this.http = new BoundedHttpServer(builder.address, builder.limits, this::serve);
    }

    /** A page answers its path alone, and not what lies below it. */
    private void serve(HttpExchange exchange) throws IOException {
        HttpHandler page = pages.get(String.valueOf(exchange.getRequestURI().getPath()));
        if (page == null) {
            answer(exchange, 404, "text/plain", notFound(exchange));
        } else if (!"GET".equals(exchange.getRequestMethod()) && !"HEAD".equals(exchange.getRequestMethod())) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            answer(exchange, 405, "text/plain", "method not allowed: " + exchange.getRequestMethod() + "\n");
        } else if (closing) {
            answer(exchange, 503, "text/plain", "shutting down\n");
        } else {
            page.handle(exchange);
        }
    }

    /**
     * Serves a registry that the application has.
     *
     * @param registry what to serve
     * @return a builder
     */
    public static Builder builder(PrometheusMeterRegistry registry) {
        return new Builder(registry);
    }

    /**
     * Serves pages, and no metrics but those of the server itself.
     *
     * @return a builder
     */
    public static Builder builder() {
        return builder(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    /**
     * Serves the figures of a context where its configuration says so: in one line for an application that has no registry of its own.
     *
     * @param context the context; not closed by the server
     * @return the server, or empty if {@code metrics.port} is -1
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE} or {@code UNKNOWN_HOST}
     */
    public static Optional<MetricsServer> start(Context context) {
        return start(FairleadMetrics.of(context), context);
    }

    /**
     * Serves the figures of a context where its configuration says so, with tags and topics of the caller's choice.
     *
     * @param metrics what to serve
     * @param context the context, which tells port, health and readiness; not closed by the server
     * @return the server, or empty if {@code metrics.port} is -1
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE} or {@code UNKNOWN_HOST}
     */
    public static Optional<MetricsServer> start(FairleadMetrics metrics, Context context) {
        FairleadConfig config = context.config();
        int port = config.value(ConfigKeys.METRICS_PORT);
        if (port < 0) {
            return Optional.empty();
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        metrics.bindTo(registry);
        return Optional.of(builder(registry)
                .address(new InetSocketAddress(config.value(ConfigKeys.METRICS_ADDRESS), port))
                .health(() -> stall(context))
                .ready(() -> context.statistics().value(Counter.WORKERS) > 0
                        ? Optional.empty()
                        : Optional.of("no worker is open"))
                .start());
    }

    /** A worker without progress is dead for its peers, whatever else this process does. */
    private static Optional<String> stall(Context context) {
        long stallNs = context.statistics().value(Counter.PROGRESS_STALL_NS);
        Duration limit = context.config().value(ConfigKeys.LIVENESS_TIMEOUT);
        return stallNs <= limit.toNanos()
                ? Optional.empty()
                : Optional.of("progress stands still: for=" + TimeUnit.NANOSECONDS.toMillis(stallNs)
                        + " ms, liveness.timeout=" + limit.toMillis() + " ms");
    }

    /** What a server serves, and where. Not thread-safe. */
    public static final class Builder {
        private final PrometheusMeterRegistry registry;
        private final Map<String, HttpHandler> pages = new LinkedHashMap<>();
        private InetSocketAddress address = new InetSocketAddress(ConfigKeys.METRICS_ADDRESS.defaultValue(), 0);
        private Supplier<Optional<String>> health = Optional::empty;
        private Supplier<Optional<String>> ready = Optional::empty;
        private BoundedHttpServer.Limits limits = LIMITS;

        private Builder(PrometheusMeterRegistry registry) {
            this.registry = Objects.requireNonNull(registry, "registry");
        }

        /**
         * Where to listen.
         *
         * @param where an address of this host; port 0 takes a free one
         * @return this
         */
        public Builder address(InetSocketAddress where) {
            address = Objects.requireNonNull(where, "where");
            return this;
        }

        /**
         * What {@code /health} tells.
         *
         * @param problem empty while all is well, else one line; called by any number of threads
         * @return this
         */
        public Builder health(Supplier<Optional<String>> problem) {
            health = Objects.requireNonNull(problem, "problem");
            return this;
        }

        /**
         * What {@code /ready} tells.
         *
         * @param problem empty while work is welcome, else one line; called by any number of threads
         * @return this
         */
        public Builder ready(Supplier<Optional<String>> problem) {
            ready = Objects.requireNonNull(problem, "problem");
            return this;
        }

        /** For tests, which do not wait as long. */
        Builder limits(BoundedHttpServer.Limits chosen) {
            limits = chosen;
            return this;
        }

        /**
         * Serves something else beside the metrics.
         *
         * @param path an absolute path, which is matched as a whole
         * @param page answers GET and HEAD, by any number of threads, before it returns: its answer goes out then, as a whole; there is no
         *     request body and no {@code HttpContext}, and what it throws is answered with 500
         * @return this
         */
        public Builder page(String path, HttpHandler page) {
            pages.put(path, Objects.requireNonNull(page, "page"));
            return this;
        }

        /**
         * Serves a text beside the metrics.
         *
         * @param path an absolute path, which is matched as a whole
         * @param type such as {@code text/html}; the text goes out in UTF-8
         * @param text asked at each request, by any number of threads; what it throws is answered with 500
         * @return this
         */
        public Builder page(String path, String type, Supplier<String> text) {
            Objects.requireNonNull(type, "type");
            Objects.requireNonNull(text, "text");
            return page(path, exchange -> {
                String body;
                try {
                    body = text.get();
                } catch (Throwable failure) {
                    LOG.warn("cannot make the page {}", path, failure);
                    answer(exchange, 500, "text/plain", "the page failed: " + failure + "\n");
                    return;
                }
                answer(exchange, 200, type, body);
            });
        }

        /**
         * Starts the server.
         *
         * @return the server, listening
         * @throws FairleadException {@code ADDRESS_UNAVAILABLE} if the port is taken or the address not this host's,
         *     {@code UNKNOWN_HOST} if it does not resolve
         */
        public MetricsServer start() {
            if (address.isUnresolved()) {
                throw new FairleadException(
                        Reason.UNKNOWN_HOST,
                        "cannot serve metrics: host does not resolve: metrics.address=" + address.getHostString()
                                + "; check its spelling, or name it by its address");
            }
            try {
                MetricsServer server = new MetricsServer(this);
                LOG.info("metrics at {}", server.url());
                return server;
            } catch (IOException failure) {
                throw new FairleadException(
                        Reason.ADDRESS_UNAVAILABLE,
                        "cannot serve metrics: address=" + text(address) + ", cause: " + failure.getMessage()
                                + "; choose another metrics.port (0 takes a free one) or metrics.address",
                        failure);
            }
        }
    }

    /**
     * Where it listens.
     *
     * @return the address with the port that was taken
     */
    public InetSocketAddress address() {
        return http.address();
    }

    /**
     * Where to scrape.
     *
     * @return such as {@code http://127.0.0.1:9464/metrics}
     */
    public String url() {
        return "http://" + text(address()) + "/metrics";
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private void scrape(HttpExchange exchange) throws IOException {
        if (!scrapes.tryAcquire()) {
            dropped.increment();
            answer(exchange, 503, "text/plain", "too many scrapes at once: limit=" + SCRAPES_MAX + "\n");
            return;
        }
        try {
            metrics.handle(exchange);
        } finally {
            scrapes.release();
        }
    }

    private static void probe(HttpExchange exchange, Supplier<Optional<String>> probe) throws IOException {
        Optional<String> problem;
        try {
            problem = probe.get();
        } catch (Throwable failure) {
            // Also what is no RuntimeException: other languages throw anything.
            problem = Optional.of("the probe failed: " + failure);
        }
        answer(exchange, problem.isEmpty() ? 200 : 503, "text/plain", problem.orElse("ok") + "\n");
    }

    private static String notFound(HttpExchange exchange) {
        return "not found: " + exchange.getRequestURI().getPath() + "; /metrics, /health and /ready are here\n";
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        try (exchange) {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Type", type + "; charset=utf-8");
            headers.set("Cache-Control", "no-store");
            boolean head = "HEAD".equals(exchange.getRequestMethod());
            exchange.sendResponseHeaders(status, head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    /** Waits until nobody is being answered. */
    void awaitAnswers(Duration max) throws InterruptedException {
        http.awaitAnswers(max);
    }

    /**
     * Refuses new requests, lets those that run end for at most two seconds, and frees the port. Idempotent.
     */
    @Override
    public void close() {
        closing = true;
        try {
            awaitAnswers(CLOSE_MAX);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        http.close();
    }
}
