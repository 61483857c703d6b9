package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may read metrics. */
@Timeout(120)
final class MetricsAccessTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final InetSocketAddress EVERYWHERE = new InetSocketAddress("0.0.0.0", 0);
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path folder;

    private static HttpResponse<String> get(MetricsServer server, String path, String... headers)
            throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return get(http, "http", server, path, headers);
        }
    }

    private static HttpResponse<String> get(
            HttpClient http, String scheme, MetricsServer server, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(scheme + "://localhost:" + server.address().getPort() + path))
                .timeout(Duration.ofSeconds(60));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/metrics", "/health", "/ready", "/nothing"})
    void shouldAnswerNothingWithoutTheToken(String path) throws Exception {
        try (MetricsServer server =
                MetricsServer.builder().address(LOOPBACK).bearerToken(TOKEN).start()) {
            for (String shown :
                    new String[] {"", "Bearer", "Bearer ", "Basic " + TOKEN, "Bearer " + TOKEN + "0", TOKEN}) {
                HttpResponse<String> refused =
                        shown.isEmpty() ? get(server, path) : get(server, path, "Authorization", shown);
                assertEquals(401, refused.statusCode(), shown);
                assertEquals(
                        "Bearer",
                        refused.headers().firstValue("WWW-Authenticate").orElse(""));
                assertEquals("a bearer token is needed\n", refused.body());
            }
        }
    }

    @Test
    void shouldAnswerWithTheToken() throws Exception {
        try (MetricsServer server =
                MetricsServer.builder().address(LOOPBACK).bearerToken(TOKEN).start()) {
            assertEquals(
                    200,
                    get(server, "/metrics", "Authorization", "Bearer " + TOKEN).statusCode());
            assertEquals(
                    200,
                    get(server, "/health", "Authorization", "bearer " + TOKEN).statusCode());
            assertEquals(
                    404,
                    get(server, "/nothing", "Authorization", "Bearer " + TOKEN).statusCode());
        }
    }

    @Test
    void shouldNotStartBeyondLoopbackWhereAnybodyCouldRead() {
        FairleadException failure = assertThrows(
                FairleadException.class,
                () -> MetricsServer.builder().address(EVERYWHERE).start());
        assertEquals(Reason.CONFIGURATION, failure.reason());
        assertEquals(
                "metrics would be open to the network: address=0.0.0.0:0; set metrics.token-file, or metrics.tls ="
                        + " mutual, or metrics.address to a loopback one, or write security.allow-insecure = true",
                failure.getMessage());
    }

    @Test
    void shouldStartBeyondLoopbackWithATokenOrWhereThatIsAllowed() throws Exception {
        try (MetricsServer server =
                MetricsServer.builder().address(EVERYWHERE).bearerToken(TOKEN).start()) {
            assertEquals(401, get(server, "/metrics").statusCode());
        }
        try (MetricsServer server =
                MetricsServer.builder().address(EVERYWHERE).allowInsecure().start()) {
            assertEquals(200, get(server, "/metrics").statusCode());
        }
    }

    @Test
    void shouldTakeTheTokenFromTheFileThatTheConfigurationNames() throws Exception {
        Path file = write("token", TOKEN + "\n", "rw-r-----");
        FairleadConfig config = Bench.config(ConfigKeys.METRICS_PORT, 0)
                .with(ConfigKeys.METRICS_ADDRESS, "0.0.0.0")
                .with(ConfigKeys.METRICS_TOKEN_FILE, file.toString());
        try (Bench bench = new Bench(config);
                MetricsServer server = MetricsServer.start(bench.client).orElseThrow()) {
            assertEquals(401, get(server, "/metrics").statusCode());
            HttpResponse<String> answer = get(server, "/metrics", "Authorization", "Bearer " + TOKEN);
            assertEquals(200, answer.statusCode());
            assertTrue(answer.body().contains("fairlead_workers"), answer::body);
        }
    }

    @Test
    void shouldAllowInsecureMetricsWhereTheConfigurationSaysSo() throws Exception {
        FairleadConfig config = Bench.config(ConfigKeys.METRICS_PORT, 0).with(ConfigKeys.METRICS_ADDRESS, "0.0.0.0");
        try (Bench bench = new Bench(config)) {
            assertThrows(FairleadException.class, () -> MetricsServer.start(bench.client));
        }
        try (Bench bench = new Bench(config.with(ConfigKeys.SECURITY_ALLOW_INSECURE, true));
                MetricsServer server = MetricsServer.start(bench.client).orElseThrow()) {
            assertEquals(200, get(server, "/metrics").statusCode());
        }
    }

    @Test
    void shouldNameATokenFileThatCannotBeReadOrHoldsNone() throws IOException {
        String missing = folder.resolve("none").toString();
        String message = refusal(missing).getMessage();
        assertTrue(message.contains("metrics.token-file=" + missing + ", cause=no such file"), message);
        Path file = folder.resolve("token");
        for (String content : new String[] {"", "fifteen--------", "a token with spaces", "0123456789abcdef\n01"}) {
            write("token", content, "rw-------");
            String refusal = refusal(file.toString()).getMessage();
            assertTrue(refusal.contains("allowed 16 to 1024 characters of printable ASCII without spaces"), refusal);
            assertFalse(!content.isBlank() && refusal.contains(content), "the token is in the message");
            assertFalse(refusal.contains("\n"), refusal);
        }
    }

    private Path write(String name, String text, String mode) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void shouldRefuseATokenThatAllUsersOfTheHostCanReadOrWrite() throws IOException {
        for (String mode : new String[] {"rw-r--r--", "rw-----w-"}) {
            Path file = write("token", TOKEN, mode);
            String message = refusal(file.toString()).getMessage();
            assertTrue(message.endsWith("metrics.token-file=" + file + "; chmod 600 " + file), message);
        }
    }

    private static FairleadException refusal(String file) {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.METRICS_TOKEN_FILE, file);
        FairleadException failure = assertThrows(
                FairleadException.class, () -> MetricsServer.builder().access(config));
        assertEquals(Reason.CONFIGURATION, failure.reason());
        return failure;
    }

    @Test
    void shouldServeByTlsAndNotWithout() throws Exception {
        TestKeys keys = TestKeys.make(folder);
        try (MetricsServer server = MetricsServer.builder()
                        .address(LOOPBACK)
                        .tls(keys::server, TlsClients.ANYONE)
                        .start();
                HttpClient http =
                        HttpClient.newBuilder().sslContext(keys.stranger()).build()) {
            assertTrue(server.url().startsWith("https://"), server::url);
            HttpResponse<String> answer = get(http, "https", server, "/metrics");
            assertEquals(200, answer.statusCode());
            assertEquals("TLSv1.3", answer.sslSession().orElseThrow().getProtocol());
            assertThrows(IOException.class, () -> get(server, "/metrics"));
        }
    }

    @Test
    void shouldTalkToClientsWithACertificateAlone() throws Exception {
        TestKeys keys = TestKeys.make(folder);
        try (MetricsServer server = MetricsServer.builder()
                        .address(EVERYWHERE)
                        .tls(keys::server, TlsClients.WITH_CERTIFICATE)
                        .start();
                HttpClient known =
                        HttpClient.newBuilder().sslContext(keys.client()).build();
                HttpClient stranger =
                        HttpClient.newBuilder().sslContext(keys.stranger()).build()) {
            assertEquals(200, get(known, "https", server, "/health").statusCode());
            IOException refused = assertThrows(IOException.class, () -> get(stranger, "https", server, "/health"));
            assertTrue(refused instanceof SSLException, refused::toString);
            assertEquals(200, get(known, "https", server, "/health").statusCode());
        }
    }

    @Test
    void shouldEndConnectionsThatDoNotFinishTheirHandshake() throws Exception {
        TestKeys keys = TestKeys.make(folder);
        try (MetricsServer server = MetricsServer.builder()
                        .address(LOOPBACK)
                        .tls(keys::server, TlsClients.ANYONE)
                        .limits(new BoundedHttpServer.Limits(4, Duration.ofMillis(200), Duration.ofSeconds(30)))
                        .start();
                Socket silent =
                        new Socket(LOOPBACK.getAddress(), server.address().getPort());
                HttpClient http =
                        HttpClient.newBuilder().sslContext(keys.stranger()).build()) {
            // A record of a ClientHello that never comes whole.
            silent.getOutputStream().write(new byte[] {22, 3, 1, 2, 0});
            assertTrue(isEnded(silent), "the server waits for ever");
            assertEquals(200, get(http, "https", server, "/health").statusCode());
        }
    }

    /** Reads what the server still says, up to the end of the connection. */
    private static boolean isEnded(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {
                // An alert may come first.
            }
            return true;
        } catch (IOException reset) {
            return true;
        }
    }
}
