package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an operator gets wrong, or does at the wrong moment: one line that says so, and messages that go on. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OperatorMistakesTest {
    private static final String LINES =
            IntStream.range(0, 200_000).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());

    @TempDir
    private Path folder;

    @Test
    void shouldNameAConfigurationThatCannotBeRead() throws Exception {
        // A regular file that not even root can read from its beginning.
        assertRefused("/proc/self/mem", "configuration file cannot be read: file=/proc/self/mem, cause=IOException (");
        String missing = folder.resolve("missing.conf").toString();
        assertRefused(missing, "configuration file does not exist: file=" + missing + " (");
        assertRefused(folder.toString(), "configuration file is not a regular file: file=" + folder + " (");
        Path latin = Files.write(folder.resolve("latin.conf"), new byte[] {'#', (byte) 0xE4, '\n'});
        assertRefused(latin.toString(), "configuration file is not UTF-8: file=" + latin + " (");
    }

    @Test
    void shouldNameThePlaceOfAMistakeInAConfiguration() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.conf"), "fairlead {\n  metrics.port = lots\n}\n");
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--config=" + wrong)) {
            pub.assertStatus(2);
            assertEquals(1, pub.errors().size(), pub.errors()::toString);
            String line = pub.errors().getFirst();
            assertTrue(line.startsWith("fairlead: "), line);
            assertTrue(line.contains("metrics.port") && line.contains("wrong.conf") && line.contains("2"), line);
        }
    }

    private static void assertRefused(String file, String expected) throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--config=" + file)) {
            pub.assertStatus(2);
            assertEquals(1, pub.errors().size(), pub.errors()::toString);
            assertTrue(pub.errors().getFirst().startsWith("fairlead: " + expected), pub.errors()::toString);
        }
    }

    /** Somebody scrapes all the time, also while the process ends. */
    @Test
    void shouldAnswerOrRefuseScrapesWhileAProcessEndsAndDeliverEverything() throws Exception {
        Path file = Files.writeString(folder.resolve("lines"), LINES);
        AtomicInteger whole = new AtomicInteger();
        try (HttpClient http = HttpClient.newHttpClient();
                CommandRun pub = CommandRun.start(
                        "pub", "rows", "-l", "0", "-w", "1", "-f", file.toString(), "--metrics-port=0")) {
            URI metrics = URI.create(pub.awaitError("metrics at (http://\\S+)"));
            String address = pub.awaitError("topic rows at (\\S+),");
            List<CompletableFuture<Void>> scrapers = IntStream.range(0, 2)
                    .mapToObj(_ -> CompletableFuture.runAsync(() -> scrapeUntilGone(http, metrics, whole)))
                    .toList();
            try (CommandRun sub = CommandRun.start("sub", "rows", "-C", address)) {
                sub.assertStatus(0);
                assertEquals(LINES, sub.text());
                assertEquals(List.of(), sub.errors());
            }
            pub.assertStatus(0);
            for (CompletableFuture<Void> scraper : scrapers) {
                scraper.get();
            }
            assertTrue(whole.get() > 0, "nobody was answered");
        }
    }

    private static void scrapeUntilGone(HttpClient http, URI metrics, AtomicInteger whole) {
        HttpRequest request =
                HttpRequest.newBuilder(metrics).timeout(Duration.ofSeconds(60)).build();
        while (true) {
            try {
                HttpResponse<String> answer =
                        http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
                if (answer.statusCode() == 200) {
                    assertTrue(answer.body().contains("fairlead_pubsub_published_total "), answer::body);
                    assertTrue(answer.body().endsWith("\n"), "cut off");
                    whole.incrementAndGet();
                } else {
                    assertEquals(503, answer.statusCode());
                }
            } catch (IOException gone) {
                return;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
