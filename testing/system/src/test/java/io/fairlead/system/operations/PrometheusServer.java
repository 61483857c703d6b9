package io.fairlead.system.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real Prometheus on a port of its own, with its data in a folder of the test's. */
final class PrometheusServer implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("Listening on\".*address=(127\\.0\\.0\\.1:\\d+)");
    private static final long DEADLINE_S = 120;
    private static final long POLL_MS = 200;

    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final CompletableFuture<String> address = new CompletableFuture<>();

    private PrometheusServer(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon().start(this::readLog);
    }

    static PrometheusServer start(PrometheusTools tools, Path config, Path data) throws IOException {
        return new PrometheusServer(new ProcessBuilder(
                        tools.prometheus().toString(),
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + data,
                        "--web.listen-address=127.0.0.1:0")
                .redirectErrorStream(true)
                .start());
    }

    private void readLog() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(line -> {
                log.add(line);
                Matcher matcher = LISTENING.matcher(line);
                if (matcher.find()) {
                    address.complete(matcher.group(1));
                }
            });
            address.completeExceptionally(new AssertionError("Prometheus ended: " + log));
        } catch (IOException | UncheckedIOException e) {
            address.completeExceptionally(e);
        }
    }

    /** The samples that an expression has now; none while Prometheus is starting. */
    List<JsonNode> query(String expression) throws Exception {
        String url = "http://" + address.get(DEADLINE_S, TimeUnit.SECONDS) + "/api/v1/query?query="
                + URLEncoder.encode(expression, StandardCharsets.UTF_8);
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(url))
                        .timeout(Duration.ofSeconds(DEADLINE_S))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == 503) {
            return List.of();
        }
        assertEquals(200, answer.statusCode(), () -> expression + ": " + answer.body());
        JsonNode result =
                JsonMapper.shared().readTree(answer.body()).get("data").get("result");
        return result.valueStream().toList();
    }

    /** Waits until an expression with one sample at most has this value. */
    void await(double expected, String expression) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        List<JsonNode> samples = query(expression);
        while (samples.size() != 1 || samples.getFirst().get("value").get(1).asDouble() != expected) {
            if (System.nanoTime() - deadline > 0) {
                fail(expression + " is not " + expected + ", but " + samples);
            }
            pause();
            samples = query(expression);
        }
    }

    /** Until something may have changed by a scrape; an end of the server ends it too. */
    private void pause() throws InterruptedException {
        if (process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
            fail("Prometheus ended: " + log);
        }
    }

    /** Waits until an expression has any sample. */
    void awaitData(String expression) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (query(expression).isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                fail("no data for " + expression + "; Prometheus says: " + log);
            }
            pause();
        }
    }

    @Override
    public void close() {
        http.close();
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
