package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Metrics by TLS with the certificate that connections use. */
@Timeout(120)
final class MetricsTlsTest {
    private static final Duration VALIDITY = Duration.ofDays(30);
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path folder;

    private Credential authority;

    @BeforeEach
    void makeKeys() throws IOException {
        authority = CertificateAuthority.create("metrics-ca", VALIDITY);
        write("ca.pem", authority.certificatePem());
        writeNode();
    }

    private static Credential issue(Credential by, String name) {
        return new CertificateAuthority(by)
                .issue(new CertificateRequest(
                        name, List.of("localhost"), List.of(InetAddress.ofLiteral("127.0.0.1")), List.of(), VALIDITY));
    }

    private Credential writeNode() throws IOException {
        Credential node = issue(authority, "node");
        write("node-key.pem", node.keyPem());
        write("node.pem", node.certificatePem());
        return node;
    }

    /** Puts a file in the place of another at once, as deployments do. */
    private void write(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".new"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.move(file, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private FairleadConfig config(String tls) {
        FairleadConfig config = Bench.config(ConfigKeys.METRICS_PORT, 0).with(ConfigKeys.METRICS_TLS, tls);
        return file(
                file(file(config, SecurityKeys.CERTIFICATE, "node.pem"), SecurityKeys.KEY, "node-key.pem"),
                SecurityKeys.TRUST,
                "ca.pem");
    }

    private FairleadConfig file(FairleadConfig config, ConfigKey<String> key, String name) {
        return config.with(key, folder.resolve(name).toString());
    }

    /** Trusts the authority alone, and shows a certificate if it has one. */
    private HttpClient client(Optional<Credential> own) throws Exception {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, PASSWORD);
        trust.setCertificateEntry("ca", authority.certificate());
        TrustManagerFactory trusting = TrustManagerFactory.getInstance("PKIX");
        trusting.init(trust);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, PASSWORD);
        if (own.isPresent()) {
            keys.setKeyEntry("own", own.get().key(), PASSWORD, new Certificate[] {
                own.get().certificate()
            });
        }
        KeyManagerFactory showing = KeyManagerFactory.getInstance("PKIX");
        showing.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(showing.getKeyManagers(), trusting.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private static HttpResponse<String> get(HttpClient http, MetricsServer server, String scheme)
            throws IOException, InterruptedException {
        URI uri = URI.create(scheme + "://127.0.0.1:" + server.address().getPort() + "/metrics");
        return http.send(
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofString());
    }

    private static X509Certificate shown(HttpResponse<String> answer) throws SSLException {
        return (X509Certificate) answer.sslSession().orElseThrow().getPeerCertificates()[0];
    }

    @Test
    void shouldServeByTlsWithTheCertificateOfConnections() throws Exception {
        try (Bench bench = new Bench(config("server"));
                MetricsServer server = MetricsServer.start(bench.client).orElseThrow();
                HttpClient http = client(Optional.empty())) {
            assertTrue(server.url().startsWith("https://127.0.0.1:"), server::url);

            HttpResponse<String> answer = get(http, server, "https");

            assertEquals(200, answer.statusCode());
            assertTrue(answer.body().contains("fairlead_workers"), answer::body);
            assertEquals("TLSv1.3", answer.sslSession().orElseThrow().getProtocol());
            assertEquals("CN=node", shown(answer).getSubjectX500Principal().getName());
            assertThrows(IOException.class, () -> get(http, server, "http"));
        }
    }

    @Test
    void shouldAnswerClientsWithACertificateOfTheAuthorityAlone() throws Exception {
        Credential known = issue(authority, "scraper");
        Credential revoked = issue(authority, "stolen");
        Credential stranger = issue(CertificateAuthority.create("other-ca", VALIDITY), "scraper");
        write("revoked", revoked.certificate().getSerialNumber().toString(16) + "\n");
        FairleadConfig config =
                file(config("mutual"), SecurityKeys.REVOKED, "revoked").with(ConfigKeys.METRICS_ADDRESS, "0.0.0.0");
        try (Bench bench = new Bench(config);
                // Beyond loopback without a token: whoever has no certificate reads nothing.
                MetricsServer server = MetricsServer.start(bench.client).orElseThrow();
                HttpClient http = client(Optional.of(known))) {
            assertEquals(200, get(http, server, "https").statusCode());
            for (Optional<Credential> other :
                    List.of(Optional.<Credential>empty(), Optional.of(revoked), Optional.of(stranger))) {
                try (HttpClient refused = client(other)) {
                    // An alert of TLS, or the reset that may overtake it.
                    assertThrows(IOException.class, () -> get(refused, server, "https"));
                }
            }
            assertEquals(200, get(http, server, "https").statusCode());
        }
    }

    @Test
    void shouldNotStartBeyondLoopbackForClientsWithoutACertificateOrAToken() {
        FairleadConfig config = config("server").with(ConfigKeys.METRICS_ADDRESS, "0.0.0.0");
        try (Bench bench = new Bench(config)) {
            FairleadException failure = assertThrows(FairleadException.class, () -> MetricsServer.start(bench.client));
            assertEquals(Reason.CONFIGURATION, failure.reason());
            assertTrue(String.valueOf(failure.getMessage()).startsWith("metrics would be open to the network"));
        }
    }

    @Test
    void shouldUseACertificateThatHasBeenReplacedUntilItIsClosed() throws Exception {
        FairleadConfig config = config("server").with(SecurityKeys.RELOAD_INTERVAL, Duration.ofMillis(100));
        try (Bench bench = new Bench(config)) {
            long watchers = watchers();
            try (MetricsServer server = MetricsServer.start(bench.client).orElseThrow()) {
                assertEquals(watchers + 1, watchers());
                Credential renewed = writeNode();
                // The test's own limit of time ends this.
                while (!serial(server).equals(renewed.certificate().getSerialNumber())) {
                    LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                }
            }
            assertEquals(watchers, watchers(), "somebody still looks at the files");
        }
    }

    /** On a connection of its own. */
    private Number serial(MetricsServer server) throws Exception {
        try (HttpClient http = client(Optional.empty())) {
            return shown(get(http, server, "https")).getSerialNumber();
        }
    }

    private static long watchers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fairlead-keys"))
                .count();
    }

    @Test
    void shouldTellWhyItHasNoKeys() throws IOException {
        write("secret", "0123456789abcdef0123456789abcdef");
        FairleadConfig plain = Bench.config(ConfigKeys.METRICS_PORT, 0).with(ConfigKeys.METRICS_TLS, "mutual");
        assertRefused(plain, "security.certificate and security.shared-secret-file are not set");
        assertRefused(
                file(plain, SecurityKeys.SHARED_SECRET_FILE, "secret"),
                "a shared secret is no certificate that clients of another protocol can verify:"
                        + " security.shared-secret-file=");
        assertRefused(file(config("mutual"), SecurityKeys.TRUST, "none.pem"), "security.trust=");
    }

    private static void assertRefused(FairleadConfig config, String cause) {
        try (Bench bench = new Bench(config)) {
            long watchers = watchers();
            FairleadException failure = assertThrows(FairleadException.class, () -> MetricsServer.start(bench.client));
            assertEquals(Reason.CONFIGURATION, failure.reason());
            String message = String.valueOf(failure.getMessage());
            assertTrue(message.contains(cause), message);
            assertEquals(watchers, watchers());
        }
    }

    @Test
    void shouldLetGoOfTheKeysWhereThePortIsTaken() throws Exception {
        try (Bench bench = new Bench(config("server"));
                MetricsServer first = MetricsServer.start(bench.client).orElseThrow()) {
            long watchers = watchers();
            FairleadConfig taken = config("server")
                    .with(ConfigKeys.METRICS_PORT, first.address().getPort());
            try (Bench other = new Bench(taken)) {
                FairleadException failure =
                        assertThrows(FairleadException.class, () -> MetricsServer.start(other.client));
                assertEquals(Reason.ADDRESS_UNAVAILABLE, failure.reason());
            }
            assertEquals(watchers, watchers());
        }
    }
}
