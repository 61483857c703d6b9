package io.fairlead.system.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.system.command.CommandRun;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The page that draws a running demo, as a program and as a browser sees it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DashboardTest {
    private static final Set<String> PROCESSES = Set.of("publisher", "fast", "steady", "slow");
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(120);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int POINTS = 4;

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        http.close();
    }

    private static CommandRun demo() throws IOException {
        return CommandRun.start(
                "demo",
                "--seconds=200",
                "--rate=2000",
                "--dashboard",
                "--set=liveness.timeout=2m",
                "--set=connect.timeout=2m");
    }

    @Test
    void shouldServeAPageOfItsOwnAndWhatItDraws() throws Exception {
        try (CommandRun demo = demo()) {
            String url = demo.awaitError("dashboard at (http://127\\.0\\.0\\.1:\\d+/dashboard)");
            String page = get(url);
            assertFalse(
                    page.matches("(?s).*(src|href|url)\\s*[=(]\\s*[\"']?(https?:)?//.*"),
                    "the page loads from elsewhere");
            JsonNode latest = awaitPoints(demo, url);
            for (JsonNode row : latest.get("processes")) {
                String name = row.get("name").asString();
                assertTrue(
                        row.get(name.equals("publisher") ? "published" : "delivered")
                                        .asDouble()
                                > 0,
                        row::toString);
                assertFalse(row.get("paths").isEmpty(), row::toString);
            }
            demo.terminate();
            demo.assertStatus(143);
        }
    }

    @Test
    void shouldDrawInABrowser() throws Exception {
        Browser browser = Browser.find(folder);
        try (CommandRun demo = demo()) {
            String url = demo.awaitError("dashboard at (http://127\\.0\\.0\\.1:\\d+/dashboard)");
            awaitPoints(demo, url);
            String dom = browser.open(url);
            // A machine that stood still for a while has moments of which not every process told something.
            for (int again = 0; again < 5 && !drawn(dom, "rates").equals(PROCESSES); again++) {
                awaitPoints(demo, url);
                dom = browser.open(url);
            }
            assertTrue(dom.contains("data-state=\"live\""), dom);
            assertEquals(PROCESSES, drawn(dom, "rates"), dom);
            assertEquals(Set.of("publisher"), drawn(dom, "latency"), dom);
            assertEquals(Set.of("fast", "steady", "slow"), drawn(dom, "lag"), dom);
            assertFalse(dom.contains("NaN"), dom);
            assertTrue(dom.matches("(?s).*<td>publisher</td><td>3 × (tcp|shm) by .*"), dom);

            BufferedImage image =
                    ImageIO.read(browser.screenshot(url, 1240, 640).toFile());
            assertEquals(List.of(1240, 640), List.of(image.getWidth(), image.getHeight()));
            Set<Integer> colours = new TreeSet<>();
            for (int y = 0; y < image.getHeight(); y++) {
                for (int x = 0; x < image.getWidth(); x++) {
                    colours.add(image.getRGB(x, y));
                }
            }
            assertTrue(colours.size() > PROCESSES.size() + 2, () -> "hardly anything is drawn: " + colours.size());
            demo.terminate();
            demo.assertStatus(143);
        }
    }

    /** Whose lines a chart has. */
    private static Set<String> drawn(String dom, String chart) {
        Matcher svg = Pattern.compile("(?s)<svg id=\"" + chart + "\".*?</svg>").matcher(dom);
        assertTrue(svg.find(), dom);
        return Pattern.compile("<polyline points=\"[-0-9., ]+\" data-process=\"(\\w+)\"")
                .matcher(svg.group())
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    /** Waits for some moments of which every process told something, and returns the last. */
    private JsonNode awaitPoints(CommandRun demo, String url) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + DEADLINE_NS;
        while (true) {
            assertTrue(demo.handle().isAlive(), () -> "the demo ended: " + demo.errors());
            JsonNode points = JsonMapper.shared().readTree(get(url + "/points"));
            List<JsonNode> full = points.valueStream()
                    .filter(point -> point.get("processes").size() == PROCESSES.size()
                            && point.get("processes").get(0).has("p50Us"))
                    .toList();
            if (full.size() >= POINTS) {
                return full.getLast();
            }
            if (System.nanoTime() - deadline > 0) {
                fail("not enough to draw: " + points);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private String get(String url) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(url))
                        .timeout(Duration.ofSeconds(60))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode(), answer::body);
        return answer.body();
    }
}
