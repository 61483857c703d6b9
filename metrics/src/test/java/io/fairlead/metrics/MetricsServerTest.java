package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.OperationKind;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class MetricsServerTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final HttpClient http = HttpClient.newHttpClient();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @AfterEach
    void close() {
        http.close();
        registry.close();
    }

    @Test
    void shouldServeTheTextFormatAndOpenMetricsByAcceptHeader() throws Exception {
        try (Bench bench = new Bench(Bench.config(ConfigKeys.METRICS_PORT, 0));
                MetricsServer server = MetricsServer.start(bench.client).orElseThrow()) {
            bench.useEverything(bench.connect());

            HttpResponse<String> text = get(server, "/metrics");
            assertEquals(200, text.statusCode());
            assertTrue(header(text, "Content-Type").startsWith("text/plain; version=0.0.4"), text.headers()::toString);
            assertEquals(
                    1,
                    new Exposition(text.body())
                            .value("fairlead_operations_total", "operation", "send", "status", "ok"));

            HttpResponse<String> open = http.send(
                    request(server, "/metrics").header("Accept", OPEN_METRICS).build(), BodyHandlers.ofString());
            assertEquals(200, open.statusCode());
            assertTrue(
                    header(open, "Content-Type").startsWith("application/openmetrics-text"), open.headers()::toString);
            assertTrue(open.body().endsWith("# EOF\n"));
            assertTrue(open.body().contains("# UNIT fairlead_operation_latency_seconds seconds"), open::body);
            assertEquals(
                    1,
                    new Exposition(open.body()).value("fairlead_operation_latency_seconds_count", "operation", "put"));
        }
    }

    @Test
    void shouldListenOnLoopbackOnlyUnlessToldOtherwise() {
        try (Bench bench = new Bench(Bench.config(ConfigKeys.METRICS_PORT, 0));
                MetricsServer server = MetricsServer.start(bench.client).orElseThrow()) {
            assertTrue(server.address().getAddress().isLoopbackAddress());
            assertEquals("http://127.0.0.1:" + server.address().getPort() + "/metrics", server.url());
        }
    }

    @Test
    void shouldServeNothingWithoutAPort() {
        try (Bench bench = new Bench()) {
            assertEquals(Optional.empty(), MetricsServer.start(bench.client));
        }
    }

    @Test
    void shouldTellHealthByProgressAndReadinessByWorkers() throws Exception {
        var config = Bench.config(ConfigKeys.METRICS_PORT, 0).with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(100));
        try (Bench bench = new Bench(config);
                MetricsServer server = MetricsServer.start(bench.client).orElseThrow()) {
            bench.progress();
            // The worker is left without progress until that is noticed, which takes as long as liveness.timeout says.
            HttpResponse<String> health = get(server, "/health");
            while (health.statusCode() == 200) {
                assertEquals("ok\n", health.body());
                health = get(server, "/health");
            }
            assertEquals(503, health.statusCode());
            assertTrue(health.body().startsWith("progress stands still: for="), health::body);
            assertTrue(health.body().endsWith("liveness.timeout=100 ms\n"), health::body);
            assertEquals(200, get(server, "/ready").statusCode());

            bench.asking.close();
            HttpResponse<String> ready = get(server, "/ready");
            assertEquals(503, ready.statusCode());
            assertEquals("no worker is open\n", ready.body());
            assertEquals(200, get(server, "/health").statusCode(), "a closed worker does not stand still");
        }
    }

    @Test
    void shouldAskTheApplicationsProbes() throws Exception {
        AtomicReference<Optional<String>> problem = new AtomicReference<>(Optional.empty());
        try (MetricsServer server = MetricsServer.builder(registry)
                .address(ANY_PORT)
                .health(() -> {
                    throw new IllegalStateException("broken probe");
                })
                .ready(problem::get)
                .page("/hello", exchange -> {
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                })
                .start()) {
            assertEquals(200, get(server, "/ready").statusCode());
            problem.set(Optional.of("warming up"));
            assertEquals("warming up\n", get(server, "/ready").body());
            assertEquals(503, get(server, "/health").statusCode());
            assertTrue(get(server, "/health").body().contains("broken probe"));
            assertEquals(204, get(server, "/hello").statusCode());
        }
    }

    @Test
    void shouldServeTextsWithoutARegistryOfTheApplications() throws Exception {
        AtomicReference<Optional<String>> text = new AtomicReference<>(Optional.of("<p>ä</p>"));
        try (MetricsServer server = MetricsServer.builder()
                .address(ANY_PORT)
                .page("/page", "text/html", () -> text.get().orElseThrow())
                .start()) {
            HttpResponse<String> page = get(server, "/page");
            assertEquals(200, page.statusCode());
            assertEquals("<p>ä</p>", page.body());
            assertEquals(
                    "text/html; charset=utf-8",
                    page.headers().firstValue("Content-Type").orElseThrow());
            text.set(Optional.empty());
            assertEquals(500, get(server, "/page").statusCode());
            assertEquals(404, get(server, "/page/below").statusCode());
            assertTrue(get(server, "/metrics").body().contains("fairlead_telemetry_dropped_total 0.0"));
        }
    }

    @Test
    void shouldRefuseOtherPathsAndMethods() throws Exception {
        try (MetricsServer server =
                MetricsServer.builder(registry).address(ANY_PORT).start()) {
            assertEquals(404, get(server, "/").statusCode());
            assertEquals(404, get(server, "/metrics/more").statusCode());
            HttpResponse<String> post = http.send(
                    request(server, "/metrics")
                            .POST(HttpRequest.BodyPublishers.ofString("x"))
                            .build(),
                    BodyHandlers.ofString());
            assertEquals(405, post.statusCode());
            HttpResponse<String> head = http.send(
                    request(server, "/health")
                            .method("HEAD", HttpRequest.BodyPublishers.noBody())
                            .build(),
                    BodyHandlers.ofString());
            assertEquals(200, head.statusCode());
        }
    }

    @Test
    void shouldNameABusyPortAndLeaveMessagingAlone() throws IOException {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Bench bench = new Bench(Bench.config(ConfigKeys.METRICS_PORT, busy.getLocalPort()))) {
            Endpoint endpoint = bench.connect();
            FairleadException failure = assertThrows(FairleadException.class, () -> MetricsServer.start(bench.client));
            assertEquals(Reason.ADDRESS_UNAVAILABLE, failure.reason());
            assertEquals(
                    "cannot serve metrics: address=127.0.0.1:" + busy.getLocalPort()
                            + ", cause: Address already in use; choose another metrics.port (0 takes a free one) or"
                            + " metrics.address",
                    failure.getMessage());
            bench.useEverything(endpoint);
        }
    }

    @Test
    void shouldNameAnAddressThatIsNoneOfThisHosts() {
        try (Bench bench = new Bench(Bench.config(ConfigKeys.METRICS_PORT, 0)
                .with(ConfigKeys.METRICS_ADDRESS, "192.0.2.1")
                .with(ConfigKeys.SECURITY_ALLOW_INSECURE, true))) {
            FairleadException failure = assertThrows(FairleadException.class, () -> MetricsServer.start(bench.client));
            assertEquals(Reason.ADDRESS_UNAVAILABLE, failure.reason());
            assertTrue(failure.getMessage().contains("address=192.0.2.1:0"), failure::getMessage);
        }
    }

    @Test
    void shouldNameAHostThatDoesNotResolve() {
        FairleadException failure = assertThrows(
                FairleadException.class,
                () -> MetricsServer.builder(registry)
                        .address(InetSocketAddress.createUnresolved("no-such-host.invalid", 0))
                        .start());
        assertEquals(Reason.UNKNOWN_HOST, failure.reason());
        assertTrue(failure.getMessage().contains("metrics.address=no-such-host.invalid"), failure::getMessage);
    }

    @Test
    void shouldRefusePortsThatAreNone() {
        String message = assertThrows(IllegalArgumentException.class, () -> ConfigKeys.METRICS_PORT.parse("70000"))
                .getMessage();
        assertEquals("metrics.port=70000 is out of range: allowed -1 to 65535", message);
        assertThrows(IllegalArgumentException.class, () -> ConfigKeys.METRICS_PORT.parse("-2"));
    }

    @Test
    void shouldRefuseMoreScrapesAtOnceThanItAllowsAndCountThem() throws Exception {
        CountDownLatch running = new CountDownLatch(4);
        CountDownLatch proceed = new CountDownLatch(1);
        Gauge.builder("slow.gauge", () -> {
                    running.countDown();
                    try {
                        proceed.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return 1;
                })
                .register(registry);
        try (MetricsServer server =
                MetricsServer.builder(registry).address(ANY_PORT).start()) {
            List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                slow.add(http.sendAsync(request(server, "/metrics").build(), BodyHandlers.ofString()));
            }
            running.await();
            HttpResponse<String> refused = get(server, "/metrics");
            assertEquals(503, refused.statusCode());
            assertEquals("too many scrapes at once: limit=4\n", refused.body());
            assertEquals(200, get(server, "/health").statusCode(), "probes are answered all the same");
            proceed.countDown();
            for (CompletableFuture<HttpResponse<String>> answer : slow) {
                assertEquals(200, answer.get().statusCode());
            }
            assertEquals(1, new Exposition(get(server, "/metrics").body()).value("fairlead_telemetry_dropped_total"));
        }
    }

    @Test
    void shouldAnswerScrapesDuringAShutdownOrRefuseThemAndLeaveMessagingAlone() throws Exception {
        AtomicInteger answers = new AtomicInteger();
        try (Bench bench = new Bench(Bench.config(ConfigKeys.METRICS_PORT, 0))) {
            MetricsServer server = MetricsServer.start(bench.client).orElseThrow();
            Endpoint endpoint = bench.connect();
            CompletableFuture<Void> scraper = CompletableFuture.runAsync(() -> scrapeUntilRefused(server, answers));
            bench.until(() -> answers.get() > 10);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
            int rounds = 0;
            while (!scraper.isDone() || rounds < 10) {
                bench.useEverything(endpoint);
                rounds++;
            }
            scraper.get();
            closing.get();
            server.close();
            assertEquals(rounds, bench.client.statistics().operations("loopback", OperationKind.SEND, Status.OK));
        }
    }

    /** Every answer is a whole one or a refusal, until nobody listens any more. */
    private void scrapeUntilRefused(MetricsServer server, AtomicInteger answers) {
        while (true) {
            try {
                HttpResponse<String> answer = get(server, "/metrics");
                boolean whole = answer.statusCode() == 200 && answer.body().contains("fairlead_operations_total{");
                assertTrue(whole || answer.statusCode() == 503, () -> "answered " + answer.statusCode());
                answers.incrementAndGet();
            } catch (IOException gone) {
                return;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void shouldTellTheLastFiguresOfAClosedContext() throws Exception {
        Context closed;
        MetricsServer server;
        try (Bench bench = new Bench(Bench.config(ConfigKeys.METRICS_PORT, 0))) {
            closed = bench.client;
            server = MetricsServer.start(closed).orElseThrow();
            bench.useEverything(bench.connect());
        }
        try (server) {
            Exposition scraped = new Exposition(get(server, "/metrics").body());
            assertEquals(1, scraped.value("fairlead_operations_total", "operation", "send", "status", "ok"));
            assertEquals(0, scraped.value("fairlead_workers"));
            assertEquals(0, scraped.sum("fairlead_endpoints").orElseThrow());
            assertFalse(closed.transports().isEmpty());
        }
    }

    /** Each holds a descriptor of the process that sends messages, and costs a stranger nothing. */
    @Test
    void shouldAnswerBesideHalfSentRequestsAndGiveTheirDescriptorsBack() throws Exception {
        long before = descriptors();
        List<Socket> half = new ArrayList<>();
        try (MetricsServer server = MetricsServer.builder(registry)
                .address(ANY_PORT)
                .limits(new BoundedHttpServer.Limits(16, Duration.ofMillis(500), Duration.ofSeconds(60)))
                .start()) {
            for (int i = 0; i < 300; i++) {
                Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort());
                half.add(socket);
                socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost:".getBytes(StandardCharsets.US_ASCII));
            }
            assertEquals(200, get(server, "/metrics").statusCode());
            // Their own ends are still open, and so would the server's be.
            while (descriptors() > before + 300 + 8) {
                Thread.onSpinWait();
                Thread.yield();
            }
            for (Socket socket : half) {
                assertTrue(isOver(socket));
            }
        } finally {
            for (Socket socket : half) {
                socket.close();
            }
        }
    }

    @Test
    void shouldEndConnectionsThatDoNotReadTheirAnswerAndScrapeBesideThem() throws Exception {
        String page = "x".repeat(32 << 20);
        List<Socket> slow = new ArrayList<>();
        // A busy machine may take more than a second to begin with so long an answer.
        try (MetricsServer server = MetricsServer.builder(registry)
                .address(ANY_PORT)
                .limits(new BoundedHttpServer.Limits(8, Duration.ofSeconds(60), Duration.ofSeconds(5)))
                .page("/large", "text/plain", () -> page)
                .start()) {
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort());
                slow.add(socket);
                socket.getOutputStream().write("GET /large HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertEquals('H', socket.getInputStream().read());
            }
            assertEquals(200, get(server, "/metrics").statusCode());
            server.awaitAnswers(Duration.ofMinutes(1));
            for (Socket socket : slow) {
                assertTrue(isOver(socket), "read to its end, though nobody read it in time");
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void shouldSayThatAQueryIsMalformed() throws Exception {
        try (MetricsServer server =
                        MetricsServer.builder(registry).address(ANY_PORT).start();
                Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            socket.getOutputStream().write("GET /metrics?%ff=%zz HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
            assertTrue(answer.endsWith("write two hexadecimal digits behind %\n"), answer);
        }
    }

    /** Whether the other side has ended it before its end: by a reset, or with less than was announced. */
    private static boolean isOver(Socket socket) throws IOException {
        try {
            return socket.getInputStream().transferTo(OutputStream.nullOutputStream()) < 32 << 20;
        } catch (SocketException reset) {
            return true;
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void shouldAnswerWithAnErrorWhateverAPageOrAProbeThrows() throws Exception {
        try (MetricsServer server = MetricsServer.builder(registry)
                .address(ANY_PORT)
                .health(() -> {
                    throw MetricsServerTest.<RuntimeException>sneak(new IOException("checked"));
                })
                .page("/error", exchange -> {
                    throw new StackOverflowError("on purpose");
                })
                .page("/text", "text/plain", () -> {
                    throw MetricsServerTest.<RuntimeException>sneak(new IOException("checked"));
                })
                .page("/silent", exchange -> {})
                .start()) {
            assertEquals(503, get(server, "/health").statusCode());
            assertEquals(500, get(server, "/error").statusCode());
            assertEquals(500, get(server, "/text").statusCode());
            assertEquals(500, get(server, "/silent").statusCode());
            assertEquals(200, get(server, "/metrics").statusCode());
        }
    }

    /** As other languages throw what Java would have declared. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private HttpResponse<String> get(MetricsServer server, String path) throws IOException, InterruptedException {
        return http.send(request(server, path).build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(MetricsServer server, String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.address().getPort() + path))
                .timeout(Duration.ofSeconds(60));
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
