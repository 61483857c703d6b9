package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Node;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.spring.samples.PriceBoard;
import io.fairlead.spring.samples.PriceFeed;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample application over HTTP, while the process that it talks to is killed and started again. */
@Timeout(240)
final class SampleTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private final int publisherPort = freePort();
    private final int peerPort = freePort();

    @TempDir
    private Path folder;

    private Process feed;

    @AfterEach
    void endTheFeed() {
        if (feed != null) {
            feed.destroyForcibly();
        }
        client.close();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    /** Its words go to a file: a pipe that nobody reads fills up. */
    private void startFeed(String name) throws IOException {
        feed = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PriceFeed.class.getName(),
                        name,
                        Integer.toString(publisherPort),
                        Integer.toString(peerPort))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".txt").toFile())
                .start();
    }

    private ConfigurableApplicationContext startBoard() {
        return SpringApplication.run(
                PriceBoard.class,
                "--server.port=0",
                "--fairlead.spring.publisher.address=127.0.0.1:0",
                "--fairlead.spring.subscriber.address=127.0.0.1:" + publisherPort,
                "--fairlead.spring.peers=feed=127.0.0.1:" + peerPort);
    }

    private HttpResponse<String> call(ConfigurableApplicationContext board, String path, HttpRequest.Builder request) {
        String port = board.getEnvironment().getRequiredProperty("local.server.port");
        try {
            return client.send(
                    request.uri(URI.create("http://localhost:" + port + path))
                            .timeout(Duration.ofSeconds(30))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(path, failed);
        }
    }

    private HttpResponse<String> get(ConfigurableApplicationContext board, String path) {
        return call(board, path, HttpRequest.newBuilder().GET());
    }

    private void awaitFlow(ConfigurableApplicationContext board, String name) {
        Await.until(
                "health is up with " + name,
                () -> get(board, "/actuator/health").statusCode() == 200);
        Await.until("prices of " + name, () -> get(board, "/prices/ACME").body().equals(name));
        assertEquals(name + " quotes ACME", get(board, "/quotes/ACME").body());
    }

    @Test
    void shouldGoOnWhenItsPeerIsKilledAndStartedAgain() throws Exception {
        startFeed("first");
        try (ConfigurableApplicationContext board = startBoard()) {
            awaitFlow(board, "first");

            feed.destroyForcibly().waitFor();
            Await.until("health is down", () -> get(board, "/actuator/health").statusCode() == 503);
            String health = get(board, "/actuator/health").body();
            assertTrue(health.contains("\"fairlead\":{\"details\":") && health.contains("DOWN"), health);

            startFeed("second");
            awaitFlow(board, "second");
        }
    }

    @Test
    void shouldStartBeforeItsPeerAndSaySo() throws Exception {
        try (ConfigurableApplicationContext board = startBoard()) {
            assertEquals(503, get(board, "/actuator/health").statusCode());
            assertEquals(503, get(board, "/quotes/ACME").statusCode());
            assertEquals("none", get(board, "/prices/ACME").body());
            startFeed("late");
            awaitFlow(board, "late");
        }
    }

    @Test
    void shouldPublishWhatItIsSentOverHttp() {
        try (ConfigurableApplicationContext board = startBoard();
                Node node = Node.start(FairleadConfig.defaults())) {
            NodeSubscriber subscriber = NodeSubscriber.connect(
                            node, board.getBean(NodePublisher.class).address())
                    .join();
            AtomicReference<String> order = new AtomicReference<>("");
            var subscription = subscriber
                    .subscribe("orders", (_, _, buffer, offset, length) -> {
                        byte[] bytes = buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
                        order.set(new String(bytes, StandardCharsets.UTF_8));
                    })
                    .join();
            Await.until("joined", () -> subscription.state() == SubscriptionState.LIVE);
            HttpResponse<String> sequence = call(
                    board,
                    "/orders",
                    HttpRequest.newBuilder().POST(HttpRequest.BodyPublishers.ofString("buy 10 ACME")));
            assertEquals("1", sequence.body());
            Await.until("the order", () -> order.get().equals("buy 10 ACME"));
        }
    }
}
