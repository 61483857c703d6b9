package io.fairlead.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.host.HostPort;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a registry over HTTP: {@code /metrics} for Prometheus, in its text format or in OpenMetrics as the {@code Accept} header asks,
 * {@code /health} and {@code /ready} for whoever restarts processes and sends them work. Thread-safe.
 *
 * <p>It starts its threads and uses none of messaging's. Its failures do not affect messaging. It listens on the loopback address by
 * default, and there every client may read. Beyond loopback it starts only with a bearer token, with TLS and clients' certificates,
 * or with {@code security.allow-insecure}. It holds at most 64 connections, each for one request. The request must arrive within 5 seconds,
 * and the client must read the answer within 30. Beyond 64, the oldest connection that is not being answered is closed.
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
    private final Optional<BearerToken> token;
    private final Optional<ServerTls> tls;
    private final Semaphore scrapes = new Semaphore(SCRAPES_MAX);
    private final LongAdder dropped;
    private final HttpHandler metrics;
    private volatile boolean closing;

    private MetricsServer(Builder builder, Optional<ServerTls> tls) throws IOException {
        this.metrics = new MetricsHandler(builder.registry.getPrometheusRegistry());
        this.dropped = new LongAdder();
        FunctionCounter.builder(FairleadMeter.SCRAPES_DROPPED.meterName(), dropped, LongAdder::sum)
                .description(FairleadMeter.SCRAPES_DROPPED.description())
                .register(builder.registry);
        pages.put("/metrics", this::scrape);
        pages.put("/health", exchange -> Replies.probe(exchange, builder.health));
        pages.put("/ready", exchange -> Replies.probe(exchange, builder.ready));
        pages.putAll(builder.pages);
        this.token = builder.token;
        this.tls = tls;
        // Last, since requests may come at once.
        this.http = new BoundedHttpServer(builder.address, tls, builder.limits, this::serve);
    }

    /** A page answers its path alone, and not what lies below it. */
    void serve(HttpExchange exchange) throws IOException {
        if (token.isPresent() && !token.get().isShownBy(exchange)) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            Replies.answer(exchange, 401, "text/plain", "a bearer token is needed\n");
            return;
        }
        if (exchange instanceof BufferedExchange read && read.isMalformed()) {
            Replies.answer(
                    exchange, 400, "text/plain", "path or query is malformed; write two hexadecimal digits behind %\n");
            return;
        }
        HttpHandler page = pages.get(String.valueOf(exchange.getRequestURI().getPath()));
        if (page == null) {
            Replies.answer(exchange, 404, "text/plain", Replies.notFound(exchange));
        } else if (!"GET".equals(exchange.getRequestMethod()) && !"HEAD".equals(exchange.getRequestMethod())) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            Replies.answer(exchange, 405, "text/plain", "method not allowed: " + exchange.getRequestMethod() + "\n");
        } else if (closing) {
            Replies.answer(exchange, 503, "text/plain", "shutting down\n");
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
     * Serves pages, and no metrics except the server's own.
     *
     * @return a builder
     */
    public static Builder builder() {
        return builder(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    /**
     * Serves the figures of a context where its configuration says so: in one line for an application without a registry.
     *
     * @param context the context; not closed by the server
     * @return the server, or empty if {@code metrics.port} is -1
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE}, {@code UNKNOWN_HOST} or {@code CONFIGURATION}, as {@link Builder#start}
     */
    public static Optional<MetricsServer> start(Context context) {
        return start(FairleadMetrics.of(context), context);
    }

    /**
     * Serves the figures of a context where its configuration says so, with tags and topics of the caller's choice.
     *
     * @param metrics what to serve
     * @param context the source of port, health and readiness; not closed by the server
     * @return the server, or empty if {@code metrics.port} is -1
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE}, {@code UNKNOWN_HOST} or {@code CONFIGURATION}, as {@link Builder#start}
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
                .access(config)
                .health(() -> ContextHealth.stall(context))
                .ready(() -> ContextHealth.unreadiness(context))
                .start());
    }

    /** What a server serves, and where. Not thread-safe. */
    public static final class Builder {
        private final PrometheusMeterRegistry registry;
        private final Map<String, HttpHandler> pages = new LinkedHashMap<>();
        private InetSocketAddress address = new InetSocketAddress(ConfigKeys.METRICS_ADDRESS.defaultValue(), 0);
        private Supplier<Optional<String>> health = Optional::empty;
        private Supplier<Optional<String>> ready = Optional::empty;
        private Optional<BearerToken> token = Optional.empty();
        private Optional<TlsSource> tls = Optional.empty();
        private boolean insecure;
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
         * Answers those requests alone that show a token, {@code Authorization: Bearer …}; all others with 401, whatever their path. Without {@link #tls}
         * the token can be overheard.
         *
         * @param word 16 to 1024 characters of printable ASCII without spaces
         * @return this
         * @throws IllegalArgumentException if it is none
         */
        public Builder bearerToken(String word) {
            token = Optional.of(BearerToken.of(word));
            return this;
        }

        /**
         * Serves by TLS 1.3, and not without.
         *
         * @param keys asked at each connection, by any number of threads, so that it may answer with newer keys
         * @param clients who is answered
         * @return this
         */
        public Builder tls(Supplier<SSLContext> keys, TlsClients clients) {
            tls = Optional.of(
                    TlsSource.of(Objects.requireNonNull(keys, "keys"), Objects.requireNonNull(clients, "clients")));
            return this;
        }

        /**
         * Serves whoever can connect, also beyond the loopback addresses.
         *
         * @return this
         */
        public Builder allowInsecure() {
            insecure = true;
            return this;
        }

        /**
         * Takes from a configuration who may read: {@code metrics.token-file}, {@code metrics.tls} with the keys of {@code security.*}, and
         * {@code security.allow-insecure}.
         *
         * @param config the configuration
         * @return this
         * @throws FairleadException {@code CONFIGURATION} if the token's file cannot be read or holds none
         */
        public Builder access(FairleadConfig config) {
            String file = config.value(ConfigKeys.METRICS_TOKEN_FILE);
            if (!file.isBlank()) {
                token = Optional.of(BearerToken.read(file));
            }
            tls = TlsSource.of(config).or(() -> tls);
            return config.value(ConfigKeys.SECURITY_ALLOW_INSECURE) ? allowInsecure() : this;
        }

        /** Strangers read nothing unless somebody has said so. */
        private void requireAccess() {
            boolean proven = token.isPresent()
                    || tls.filter(used -> used.clients() == TlsClients.WITH_CERTIFICATE)
                            .isPresent();
            if (!proven && !insecure && !address.getAddress().isLoopbackAddress()) {
                throw new FairleadException(
                        Reason.CONFIGURATION,
                        "metrics would be open to the network: address=" + HostPort.text(address)
                                + "; set metrics.token-file, or metrics.tls = mutual, or metrics.address to a"
                                + " loopback one, or write security.allow-insecure = true");
            }
        }

        /**
         * What {@code /health} reports.
         *
         * @param problem empty while all is well, else one line; called by any number of threads
         * @return this
         */
        public Builder health(Supplier<Optional<String>> problem) {
            health = Objects.requireNonNull(problem, "problem");
            return this;
        }

        /**
         * What {@code /ready} reports.
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
                    Replies.answer(exchange, 500, "text/plain", "the page failed: " + failure + "\n");
                    return;
                }
                Replies.answer(exchange, 200, type, body);
            });
        }

        /**
         * Starts the server.
         *
         * @return the server, listening
         * @throws FairleadException {@code ADDRESS_UNAVAILABLE} if the port is taken or the address not this host's,
         *     {@code UNKNOWN_HOST} if it does not resolve; {@code CONFIGURATION} if it is no loopback address, and neither a token nor a
         *     client's certificate nor {@link #allowInsecure} says who may read, or if the keys for {@code metrics.tls} cannot be used
         */
        public MetricsServer start() {
            if (address.isUnresolved()) {
                throw new FairleadException(
                        Reason.UNKNOWN_HOST,
                        "cannot serve metrics: host does not resolve: metrics.address=" + address.getHostString()
                                + "; check its spelling, or name it by its address");
            }
            requireAccess();
            Optional<ServerTls> opened = tls.map(TlsSource::open);
            try {
                MetricsServer server = new MetricsServer(this, opened);
                LOG.info("metrics at {}", server.url());
                return server;
            } catch (IOException failure) {
                opened.ifPresent(ServerTls::close);
                throw new FairleadException(
                        Reason.ADDRESS_UNAVAILABLE,
                        "cannot serve metrics: address=" + HostPort.text(address) + ", cause: " + failure.getMessage()
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
     * @return such as {@code http://127.0.0.1:9464/metrics}, or {@code https} with TLS
     */
    public String url() {
        return (tls.isPresent() ? "https://" : "http://") + HostPort.text(address()) + "/metrics";
    }

    private void scrape(HttpExchange exchange) throws IOException {
        if (!scrapes.tryAcquire()) {
            dropped.increment();
            Replies.answer(exchange, 503, "text/plain", "too many scrapes at once: limit=" + SCRAPES_MAX + "\n");
            return;
        }
        try {
            metrics.handle(exchange);
        } finally {
            scrapes.release();
        }
    }

    /** Waits until nobody is being answered. */
    void awaitAnswers(Duration max) throws InterruptedException {
        http.awaitAnswers(max);
    }

    /**
     * Refuses new requests, waits at most two seconds for running ones to end, and frees the port. Idempotent.
     */
    @Override
    public void close() {
        closing = true;
        try {
            awaitAnswers(CLOSE_MAX);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        CloseSteps.runAll(http::close, () -> tls.ifPresent(ServerTls::close));
    }
}
