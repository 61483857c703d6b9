package io.fairlead.system.trust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.system.trust.OutsideTool.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that nobody here wrote look at a listener, which serves a friend meanwhile. */
@Timeout(value = 420, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OutsideToolsTest {
    /** Id, address, port, severity and text. */
    private static final Pattern TESTSSL_FINDING =
            Pattern.compile("\"([^\"]*)\",\"[^\"]*\",\"[^\"]*\",\"([^\"]*)\",\"([^\"]*)\"");

    /** All but OK, INFO, DEBUG, and WARN, by which it tells what its own OpenSSL cannot do. */
    private static final List<String> GRAVE = List.of("LOW", "MEDIUM", "HIGH", "CRITICAL", "FATAL");

    /** What testssl has found. */
    private record Finding(String id, String severity, String text) {}

    private static final Pattern SSLSCAN_PROTOCOL = Pattern.compile("(?m)^(SSLv2|SSLv3|TLSv1\\.\\d) +(\\w+)");

    @TempDir
    private Path folder;

    private TrustKeys keys;

    @BeforeEach
    void makeKeys() throws Exception {
        keys = new TrustKeys(folder, "trusted-ca");
        keys.node("tool");
    }

    private Scene scene() throws Exception {
        return new Scene(keys.node(Scene.VICTIM), keys.node(Scene.FRIEND));
    }

    /** Runs a program to its end while the listener serves it and its friend. */
    private Run run(Scene scene, OutsideTool tool, String... arguments) {
        CompletableFuture<Run> run = tool.run(folder.resolve("output"), arguments);
        scene.exchangeUntil(run::isDone, tool.program() + " to end");
        return run.join();
    }

    private static String target(Scene scene) {
        return "127.0.0.1:" + scene.address().getPort();
    }

    @Test
    void shouldSpeakTls13ToAMember() throws Exception {
        OutsideTool openssl = OutsideTool.find("openssl");
        try (Scene scene = scene()) {
            Run run = run(
                    scene,
                    openssl,
                    "s_client",
                    "-connect",
                    target(scene),
                    "-tls1_3",
                    "-alpn",
                    "fairlead/1",
                    "-cert",
                    keys.path("tool.pem").toString(),
                    "-key",
                    keys.path("tool-key.pem").toString(),
                    "-CAfile",
                    keys.path("ca.pem").toString(),
                    "-verify_return_error",
                    "-verify_ip",
                    "127.0.0.1");
            assertEquals(0, run.status(), run::text);
            assertTrue(run.text().contains("New, TLSv1.3, Cipher is TLS_AES_"), run::text);
            assertTrue(run.text().contains("ALPN protocol: fairlead/1"), run::text);
            assertTrue(run.text().contains("Verification: OK"), run::text);
        }
    }

    @Test
    void shouldRefuseWhoHasNoCertificate() throws Exception {
        OutsideTool openssl = OutsideTool.find("openssl");
        try (Scene scene = scene()) {
            Run run = run(
                    scene,
                    openssl,
                    "s_client",
                    "-connect",
                    target(scene),
                    "-tls1_3",
                    "-alpn",
                    "fairlead/1",
                    // Otherwise it leaves before it hears of the refusal.
                    "-ign_eof");
            assertNotEquals(0, run.status(), run::text);
            assertTrue(
                    Pattern.compile("alert (bad certificate|certificate required)")
                            .matcher(run.text())
                            .find(),
                    run::text);
        }
    }

    @Test
    void shouldRefuseOlderVersionsAndOtherProtocols() throws Exception {
        OutsideTool openssl = OutsideTool.find("openssl");
        try (Scene scene = scene()) {
            Run older = run(scene, openssl, "s_client", "-connect", target(scene), "-tls1_2", "-ign_eof");
            assertNotEquals(0, older.status(), older::text);
            assertTrue(older.text().contains("alert protocol version"), older::text);
            Run other = run(scene, openssl, "s_client", "-connect", target(scene), "-alpn", "h2", "-ign_eof");
            assertNotEquals(0, other.status(), other::text);
            assertTrue(other.text().contains("no application protocol"), other::text);
        }
    }

    @Test
    void shouldOfferSslscanTls13Alone() throws Exception {
        OutsideTool sslscan = OutsideTool.find("sslscan");
        try (Scene scene = scene()) {
            Run run = run(scene, sslscan, "--no-colour", "--no-heartbleed", target(scene));
            Matcher protocols = SSLSCAN_PROTOCOL.matcher(run.text());
            List<String> enabled = protocols
                    .results()
                    .filter(found -> found.group(2).equals("enabled"))
                    .map(found -> found.group(1))
                    .toList();
            assertEquals(List.of("TLSv1.3"), enabled, run::text);
            assertFalse(
                    Pattern.compile("(?m)^(Accepted|Preferred) ++(?!TLSv1\\.3)")
                            .matcher(run.text())
                            .find(),
                    run::text);
        }
    }

    @Test
    void shouldGiveTestsslNothingToCriticise() throws Exception {
        OutsideTool testssl = OutsideTool.find("testssl");
        try (Scene scene = scene()) {
            Path report = folder.resolve("findings.csv");
            Run run = run(
                    scene,
                    testssl,
                    "--quiet",
                    "--color",
                    "0",
                    "--warnings",
                    "off",
                    "--nodns",
                    "none",
                    "--protocols",
                    "--vulnerable",
                    "--csvfile",
                    report.toString(),
                    target(scene));
            List<Finding> findings = findings(report);
            for (String older : List.of("SSLv2", "SSLv3", "TLS1", "TLS1_1", "TLS1_2")) {
                assertEquals("not offered", only(findings, older).text(), run::text);
            }
            assertTrue(only(findings, "TLS1_3").text().startsWith("offered"), run::text);
            assertEquals(
                    List.of(),
                    findings.stream()
                            .filter(finding -> GRAVE.contains(finding.severity()))
                            .toList(),
                    run::text);
        }
    }

    private static Finding only(List<Finding> findings, String id) {
        List<Finding> named =
                findings.stream().filter(finding -> finding.id().equals(id)).toList();
        assertEquals(1, named.size(), () -> id + " among " + findings);
        return named.getFirst();
    }

    private static List<Finding> findings(Path report) throws IOException {
        return Files.readAllLines(report).stream()
                .map(TESTSSL_FINDING::matcher)
                .filter(Matcher::lookingAt)
                .map(found -> new Finding(found.group(1), found.group(2), found.group(3)))
                .toList();
    }
}
