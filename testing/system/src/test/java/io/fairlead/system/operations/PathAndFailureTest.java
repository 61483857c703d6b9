package io.fairlead.system.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.system.command.CommandRun;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a connection shows in the metrics and in the log of its processes. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PathAndFailureTest {
    /** So long that a machine that stands still for a while costs no connection. */
    private static final String LIVENESS = "--set=liveness.timeout=2m";

    private static final String CONNECT = "--set=connect.timeout=2m";

    @Test
    void shouldCountASubscriberThatIsKilledByItsCause() throws Exception {
        try (CommandRun pub = CommandRun.start(
                        "pub", "typed", "-v", "-l", "0", "--metrics-port=0", "--stay", LIVENESS, CONNECT);
                MetricsProbe metrics = new MetricsProbe(pub.awaitError("metrics at http://(\\S+)/metrics"));
                CommandRun sub = CommandRun.start("sub", "typed", "-C", addressOf(pub), LIVENESS, CONNECT)) {
            metrics.awaitPositive("fairlead_pubsub_subscribers");
            assertEquals(0, MetricsProbe.sum(metrics.scrape(), "fairlead_peer_failures_total"));

            sub.kill();
            metrics.awaitPositive("fairlead_peer_failures_total{cause=\"peer-lost\"}");
            pub.awaitError("WARN .*failed #\\d+ to ");
            // The subscriber is removed from its topic last.
            metrics.awaitZero("fairlead_pubsub_subscribers");
            String text = metrics.scrape();
            assertEquals(1, MetricsProbe.sum(text, "fairlead_peer_failures_total"), text);
            assertEquals(0, metrics.value(text, "fairlead_closes_total"), text);
        }
    }

    @Test
    void shouldNotCountASubscriberThatSaysGoodbye() throws Exception {
        try (CommandRun pub =
                        CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=0", "--stay", LIVENESS, CONNECT);
                MetricsProbe metrics = new MetricsProbe(pub.awaitError("metrics at http://(\\S+)/metrics"));
                CommandRun sub = CommandRun.start("sub", "typed", "-C", addressOf(pub), "-n", "1", LIVENESS, CONNECT)) {
            pub.input().write("one\n".getBytes(StandardCharsets.UTF_8));
            pub.input().flush();
            sub.assertStatus(0);
            metrics.awaitPositive("fairlead_closes_total");
            assertEquals(0, MetricsProbe.sum(metrics.scrape(), "fairlead_peer_failures_total"));
        }
    }

    @Test
    void shouldShowThatAPolicyKeepsAPairOffSharedMemory() throws Exception {
        try (CommandRun pub = CommandRun.start(
                        "pub", "typed", "-v", "-l", "0", "--metrics-port=0", "--stay", LIVENESS, CONNECT);
                MetricsProbe metrics = new MetricsProbe(pub.awaitError("metrics at http://(\\S+)/metrics"))) {
            String address = addressOf(pub);
            assumeTrue(
                    metrics.value(metrics.scrape(), "fairlead_transport_available{transport=\"shm\"}") == 1,
                    "shm cannot be used here, so no pair is kept off it; fairlead doctor says why");
            try (CommandRun _ = CommandRun.start("sub", "typed", "-C", address, LIVENESS, CONNECT)) {
                String line = pub.awaitError("(selected .*)");
                assertTrue(line.startsWith("selected shm over "), line);
                metrics.awaitPositive(path("shared-memory", "fastest", "shm"));
            }
            try (CommandRun _ =
                    CommandRun.start("sub", "typed", "-C", address, "--policy", "tcp-only", LIVENESS, CONNECT)) {
                String line = pub.awaitError("WARN .*(selected .*)");
                assertTrue(
                        line.startsWith("selected tcp over ") && line.contains("policy tcp-only of the connector"),
                        line);
                metrics.awaitPositive(path("tcp", "policy", "tcp"));
                String text = metrics.scrape();
                assertEquals(1, metrics.value(text, path("tcp", "policy", "tcp")), text);
                assertEquals(0, metrics.value(text, path("tcp", "only-shared", "tcp")), text);
                try (CommandRun top = CommandRun.start("top", metrics.address(), "--once", "--timeout=60")) {
                    top.assertStatus(0);
                    assertTrue(
                            top.text().matches("(?s).*\nPATHS .*" + metrics.address() + " +tcp +tcp +policy +1\n.*"),
                            top.text());
                }
            }
        }
    }

    private static String path(String path, String reason, String transport) {
        return "fairlead_paths{path=\"" + path + "\",reason=\"" + reason + "\",transport=\"" + transport + "\"}";
    }

    private static String addressOf(CommandRun pub) throws InterruptedException {
        return pub.awaitError("topic typed at (\\S+),");
    }
}
