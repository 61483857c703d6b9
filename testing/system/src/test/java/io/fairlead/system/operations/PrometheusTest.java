package io.fairlead.system.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.system.command.CommandRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real Prometheus that scrapes real processes. */
@Timeout(value = 480, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PrometheusTest {
    private static final List<String> PROCESSES = List.of("publisher", "fast", "steady", "slow");
    /** The ports in config/prometheus.yml, in the order of the processes. */
    private static final int FIRST_PORT = 9464;
    /** So long that a machine that stands still for a while costs no connection, and so short that pings go out. */
    private static final String LIVENESS = "--set=liveness.timeout=40s";

    private static final String CONNECT = "--set=connect.timeout=2m";

    @TempDir
    private Path folder;

    private PrometheusTools tools;

    @BeforeEach
    void findTools() {
        tools = PrometheusTools.find();
    }

    @Test
    void shouldAcceptConfigurationAndAlertsAndTheirTests() throws Exception {
        tools.check("", "check", "config", file("prometheus.yml"));
        tools.check("", "check", "rules", file("alerts.yml"));
        tools.check("", "test", "rules", file("alerts-test.yml"));
    }

    private static String file(String name) {
        return OperationsFilesTest.CONFIG.resolve(name).toString();
    }

    @Test
    void shouldHaveTheTotalsOfTheDemoAndDataForEveryPanel() throws Exception {
        try (CommandRun demo = CommandRun.startUnread(
                "demo",
                "--seconds=30",
                "--rate=2000",
                "--linger=600",
                "--json",
                "--metrics-port=0",
                LIVENESS,
                CONNECT)) {
            Map<String, String> addresses = new TreeMap<>();
            while (addresses.size() < PROCESSES.size()) {
                String line = demo.awaitError("^(\\S+: metrics at http://127\\.0\\.0\\.1:\\d+)/metrics$");
                addresses.put(line.replaceFirst(":.*", ""), line.replaceFirst(".*http://", ""));
            }
            try (PrometheusServer prometheus = PrometheusServer.start(tools, config(addresses), folder)) {
                for (String address : addresses.values()) {
                    try (MetricsProbe metrics = new MetricsProbe(address)) {
                        assertEquals("", tools.check(metrics.scrape(), "check", "metrics"), address);
                    }
                }
                for (String expression : OperationsFilesTest.expressions()) {
                    if (aboutFailures(expression) || aboutOneService(expression)) {
                        assertEquals(List.of(), prometheus.query(filled(expression)), expression);
                    } else {
                        prometheus.awaitData(filled(expression));
                    }
                }
                assertTotals(report(demo), prometheus);
            }
            demo.terminate();
            demo.assertStatus(143);
        }
    }

    /** A copy of the configuration as it is, but for the ports that are free here and a shorter interval. */
    private Path config(Map<String, String> addresses) throws IOException {
        String text = Files.readString(OperationsFilesTest.CONFIG.resolve("prometheus.yml"))
                .replace("_interval: 5s", "_interval: 1s")
                .replace(
                        "- alerts.yml",
                        "- " + OperationsFilesTest.CONFIG.resolve("alerts.yml").toAbsolutePath());
        for (int i = 0; i < PROCESSES.size(); i++) {
            String listed = "127.0.0.1:" + (FIRST_PORT + i);
            assertTrue(text.contains(listed), listed);
            text = text.replace(listed, addresses.getOrDefault(PROCESSES.get(i), "127.0.0.1:1"));
        }
        return Files.writeString(folder.resolve("prometheus.yml"), text);
    }

    /** These are filtered by it, so that a panel of many causes shows those that happened. */
    private static boolean aboutFailures(String expression) {
        return expression.matches("(?s).*fairlead_(peer_failures|connect_failures|refusals)_total.* > 0.*");
    }

    /** The demo publishes, and asks no service. */
    private static boolean aboutOneService(String expression) {
        return expression.contains("fairlead_service_");
    }

    /** As Grafana fills an expression in. */
    private static String filled(String expression) {
        return expression
                .replace("$job", "fairlead")
                .replace("$instance", ".*")
                .replace("$__rate_interval", "10s")
                .replace("$__range", "1m");
    }

    private static JsonNode report(CommandRun demo) throws IOException {
        // Not to be closed: the process would find its standard output gone.
        BufferedReader output = new BufferedReader(new InputStreamReader(demo.unreadOutput(), StandardCharsets.UTF_8));
        JsonNode report = JsonMapper.shared().readTree(output.readLine());
        assertTrue(report.get("ok").asBoolean(), report::toString);
        return report;
    }

    private static void assertTotals(JsonNode report, PrometheusServer prometheus) throws Exception {
        long received = 0;
        for (JsonNode row : report.get("subscribers")) {
            String of = "{job=\"fairlead\", process=\"" + row.get("name").asString() + "\"}";
            assertTrue(row.get("received").asLong() > 0, row::toString);
            prometheus.await(row.get("received").asLong(), "fairlead_pubsub_delivered_total" + of);
            prometheus.await(row.get("gaps").asLong(), "fairlead_pubsub_missed_total" + of);
            // Each row goes out on two topics.
            prometheus.await(2 * row.get("sent").asDouble(), "fairlead_pubsub_published_total{process=\"publisher\"}");
            received += row.get("received").asLong();
        }
        prometheus.await(received, "sum(fairlead_pubsub_delivered_total)");
    }

    @Test
    void shouldFireWhenASubscriberIsKilled() throws Exception {
        try (CommandRun pub =
                CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=0", "--stay", LIVENESS, CONNECT)) {
            String publisher = pub.awaitError("metrics at http://(\\S+)/metrics");
            String address = pub.awaitError("topic typed at (\\S+),");
            try (CommandRun sub = CommandRun.start("sub", "typed", "-C", address, LIVENESS, CONNECT);
                    PrometheusServer prometheus =
                            PrometheusServer.start(tools, config(Map.of("publisher", publisher)), folder)) {
                prometheus.await(1, "fairlead_pubsub_subscribers");
                prometheus.await(0, "sum(fairlead_peer_failures_total)");
                assertEquals(List.of(), prometheus.query("ALERTS{alertname=\"FairleadPeerFailed\"}"));
                sub.kill();
                prometheus.await(1, "fairlead_peer_failures_total > 0");
                prometheus.await(
                        1,
                        "ALERTS{alertname=\"FairleadPeerFailed\", alertstate=\"firing\", cause=\"peer-lost\","
                                + " instance=\"" + publisher + "\"}");
                for (String expression : OperationsFilesTest.expressions()) {
                    if (expression.contains("fairlead_peer_failures_total")) {
                        prometheus.awaitData(filled(expression));
                    }
                }
                // Nothing listens on the ports of the processes that this test has not started.
                prometheus.awaitData("ALERTS{alertname=\"FairleadScrapeFailed\", process=\"slow\"}");
            }
            pub.terminate();
            pub.assertStatus(143);
        }
    }
}
