package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.cli.command.ConfigOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What commands serve under {@code --metrics-port}, each command a process of its own. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MetricsPortTest {
    private static final String URL = "metrics at (http://127\\.0\\.0\\.1:\\d+)/metrics";
    private static final long DEADLINE_NS = Duration.ofSeconds(60).toNanos();

    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        http.close();
    }

    @Test
    void shouldServeWhatAPublisherAndItsSubscriberCount() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=0", "--stay")) {
            String publisher = pub.awaitError(URL);
            String address = pub.awaitError("topic typed at (\\S+),");
            try (CommandRun sub = CommandRun.start("sub", "typed", "-C", address, "--metrics-port", "0")) {
                String subscriber = sub.awaitError(URL);
                pub.input().write("one\ntwo\nthree\n".getBytes(StandardCharsets.UTF_8));
                pub.input().close();

                awaitLine(publisher, "fairlead_pubsub_published_total 3.0");
                awaitLine(subscriber, "fairlead_pubsub_delivered_total 3.0");
                assertEquals("ok\n", get(publisher + "/health"));
                assertEquals("ok\n", get(subscriber + "/ready"));
                pub.terminate();
                sub.assertStatus(0);
            }
            pub.assertStatus(143);
        }
    }

    @Test
    void shouldServeEachProcessOfTheDemo() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "20", "--json", "--metrics-port=0")) {
            String publisher = demo.awaitError("publisher: " + URL);
            String slow = demo.awaitError("(?:fast|steady|slow): " + URL);
            awaitPositive(publisher, "fairlead_pubsub_published_total");
            awaitPositive(slow, "fairlead_pubsub_delivered_total");
            demo.terminate();
            demo.assertStatus(143);
        }
    }

    @Test
    void shouldNameABusyPort() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=" + busy.getLocalPort())) {
            pub.assertStatus(1);
            assertEquals(
                    List.of("fairlead: cannot serve metrics: address=127.0.0.1:" + busy.getLocalPort()
                            + ", cause: Address already in use; choose another metrics.port (0 takes a free one) or"
                            + " metrics.address"),
                    pub.errors());
        }
    }

    @Test
    void shouldRefuseAPortThatIsNone() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=70000")) {
            pub.assertStatus(2);
            assertEquals(
                    List.of("fairlead: metrics.port=70000 is out of range: allowed -1 to 65535 (--metrics-port)"),
                    pub.errors());
        }
    }

    @Test
    void shouldGiveProcessesThatACommandStartsPortsOfTheirOwn() {
        ConfigOptions options = new ConfigOptions();
        new CommandLine(new Host(options)).parseArgs("--metrics-port=9000", "--policy=tcp-only");
        assertEquals(List.of("--policy=tcp-only", "--metrics-port=9000"), options.toArguments(0));
        assertEquals(List.of("--policy=tcp-only", "--metrics-port=9003"), options.toArguments(3));
        assertEquals(List.of("--policy=tcp-only", "--metrics-port=-1"), options.toArguments());

        ConfigOptions free = new ConfigOptions();
        new CommandLine(new Host(free)).parseArgs("--set=metrics.port=0");
        assertEquals(List.of("--set=metrics.port=0", "--metrics-port=0"), free.toArguments(3));
        ConfigOptions none = new ConfigOptions();
        new CommandLine(new Host(none)).parseArgs();
        assertEquals(List.of("--metrics-port=-1"), none.toArguments(3));
    }

    @Command
    private static final class Host {
        @Mixin
        private final ConfigOptions options;

        Host(ConfigOptions options) {
            this.options = options;
        }
    }

    private void awaitLine(String base, String line) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + DEADLINE_NS;
        String text = get(base + "/metrics");
        while (text.lines().noneMatch(line::equals)) {
            if (System.nanoTime() - deadline > 0) {
                fail("no line " + line + " in " + text);
            }
            text = get(base + "/metrics");
        }
    }

    private void awaitPositive(String base, String name) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + DEADLINE_NS;
        while (value(get(base + "/metrics"), name) <= 0) {
            assertTrue(System.nanoTime() - deadline < 0, () -> name + " stays 0");
        }
    }

    private static double value(String text, String name) {
        return Arrays.stream(text.split("\n", -1))
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    private String get(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(30))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
}
