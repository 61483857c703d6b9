package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code fairlead top} in a process of its own, on processes that live and on ports where there is nothing to see. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TopCommandTest {
    /** So long that a machine that stands still for a while costs nothing. */
    private static final String PATIENTLY = "--timeout=60";

    private static final String LIVENESS = "--set=liveness.timeout=2m";
    private static final String CONNECT = "--set=connect.timeout=2m";

    @Test
    void shouldShowWhatEachProcessOfTheDemoDoes() throws Exception {
        try (CommandRun demo = CommandRun.start(
                "demo", "--seconds=200", "--rate=2000", "--policy=tcp-only", "--metrics-port=0", LIVENESS, CONNECT)) {
            Map<String, String> addresses = addresses(demo);
            demo.awaitError("fast [1-9].*steady [1-9].*slow [1-9]");
            String publisher = addresses.get("publisher");
            JsonNode frame = JsonMapper.shared()
                    .readTree(top(publisher, addresses.get("fast"), "--once", "--json", "--interval=3", PATIENTLY));
            JsonNode first = frame.get("processes").get(0);
            assertEquals(publisher, first.get("address").asString());
            JsonNode figures = first.get("figures");
            assertTrue(figures.get("seconds").asDouble() >= 3, figures::toString);
            assertEquals(
                    "[{\"transport\":\"tcp\",\"path\":\"tcp\",\"reason\":\"policy\",\"endpoints\":3}]",
                    figures.get("paths").toString());
            JsonNode topics = figures.get("pubsub");
            assertTrue(topics.get("publishedPerSecond").asDouble() > 0, topics::toString);
            assertEquals(3, topics.get("subscribers").asInt(), topics::toString);
            JsonNode send = figures.get("operations")
                    .valueStream()
                    .filter(row -> row.get("operation").asString().equals("send"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(figures));
            assertTrue(send.get("perSecond").asDouble() > 0, send::toString);
            JsonNode second = frame.get("processes").get(1).get("figures").get("pubsub");
            assertTrue(second.get("deliveredPerSecond").asDouble() > 0, second::toString);
            assertEquals(1, second.get("subscriptions").asInt(), second::toString);

            String text = top(publisher, addresses.get("slow"), "--once", PATIENTLY);
            assertTrue(text.matches("(?s).*\nPROCESS +endpoints .*\n" + publisher + " +3 .*"), text);
            assertTrue(text.matches("(?s).*\nPATHS .*\n" + publisher + " +tcp +tcp +policy +3\n.*"), text);
            assertTrue(text.matches("(?s).*\nTOPICS .*\n" + addresses.get("slow") + " .*"), text);
            assertTrue(text.matches("(?s).*\nOPERATIONS .*\n" + publisher + " +tcp +send .*"), text);
            assertFalse(text.contains("\u001b"), text);
            demo.terminate();
            demo.assertStatus(143);
        }
    }

    @Test
    void shouldGoOnWithTheOthersWhenAProcessEndsAndEndWithTheLast() throws Exception {
        try (CommandRun one = CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=0", "--stay");
                CommandRun two = CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=0", "--stay")) {
            String first = one.awaitError("metrics at http://(\\S+)/metrics");
            String second = two.awaitError("metrics at http://(\\S+)/metrics");
            try (CommandRun top = CommandRun.startUnread("top", first, second, "--json", "--interval=0.2", PATIENTLY)) {
                BufferedReader frames =
                        new BufferedReader(new InputStreamReader(top.unreadOutput(), StandardCharsets.UTF_8));
                JsonNode both = JsonMapper.shared().readTree(frames.readLine());
                assertTrue(both.get("processes").valueStream().allMatch(row -> row.has("figures")), both::toString);
                one.kill();
                JsonNode rest = both;
                while (rest.get("processes").get(0).has("figures")) {
                    rest = JsonMapper.shared().readTree(frames.readLine());
                }
                assertTrue(
                        rest.get("processes").get(0).get("error").asString().contains("address=" + first),
                        rest::toString);
                assertTrue(rest.get("processes").get(1).has("figures"), rest::toString);
                two.kill();
                top.assertStatus(1);
                assertEquals(1, top.errors().size(), top.errors()::toString);
            }
        }
    }

    @Test
    void shouldEndInOrderWhenTerminated() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=0", "--stay");
                CommandRun top = CommandRun.start(
                        "top", pub.awaitError("metrics at http://(\\S+)/metrics"), "--interval=3600", PATIENTLY)) {
            top.terminate();
            top.assertStatus(143);
            assertEquals(List.of(), top.errors());
        }
    }

    @Test
    void shouldDrawOnATerminalAndLeaveItAsItWas() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--metrics-port=0", "--stay")) {
            String address = pub.awaitError("metrics at http://(\\S+)/metrics");
            try (CommandRun top = CommandRun.startOnTerminal("top", address, "--interval=0.2", PATIENTLY)) {
                StringBuilder shown = new StringBuilder();
                Reader terminal = new InputStreamReader(top.unreadOutput(), StandardCharsets.UTF_8);
                // Two frames and the beginning of a third.
                while (shown.toString().split("\u001b\\[H", -1).length < 4) {
                    int next = terminal.read();
                    assertTrue(next >= 0, () -> "ended after: " + shown);
                    shown.append((char) next);
                }
                assertTrue(shown.toString().startsWith("\u001b[?1049h\u001b[?25l\u001b[H"), shown::toString);
                assertTrue(shown.toString().contains("\r\n" + address + " "), shown::toString);
                // Ctrl-C would do the same, where the test itself was not started with that signal ignored.
                top.handle().descendants().forEach(ProcessHandle::destroy);
                for (int next = terminal.read(); next >= 0; next = terminal.read()) {
                    shown.append((char) next);
                }
                assertTrue(shown.toString().endsWith("\u001b[?25h\u001b[?1049l"), shown::toString);
                top.assertStatus(143);
            }
        }
    }

    @Test
    void shouldNameAPortWhereNothingServes() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        assertFailure(
                "fairlead: nothing serves metrics: address=127.0.0.1:" + port
                        + "; start the process with --metrics-port, such as fairlead demo --metrics-port 9464",
                String.valueOf(port),
                "--once",
                PATIENTLY);
    }

    @Test
    void shouldNameAPortThatDoesNotAnswer() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertFailure(
                    "fairlead: no answer in time: address=127.0.0.1:" + silent.getLocalPort()
                            + ", --timeout=0.5 s; see whether that process stands still, and whether it serves metrics there",
                    String.valueOf(silent.getLocalPort()),
                    "--timeout=0.5");
        }
    }

    @Test
    void shouldNameAPortThatSpeaksNoHttp() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread greeter = Thread.ofVirtual().start(() -> greet(other));
            try (CommandRun top = CommandRun.start("top", "127.0.0.1:" + other.getLocalPort(), PATIENTLY)) {
                top.assertStatus(1);
                assertEquals(1, top.errors().size(), top.errors()::toString);
                assertTrue(
                        top.errors()
                                .getFirst()
                                .startsWith("fairlead: no answer in HTTP: address=127.0.0.1:" + other.getLocalPort()),
                        top.errors()::toString);
            }
            greeter.join();
        }
    }

    private static void greet(ServerSocket server) {
        try (Socket client = server.accept()) {
            client.getOutputStream().write("SSH-2.0-Other\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.shutdownOutput();
            client.getInputStream().readAllBytes();
        } catch (IOException e) {
            // Whatever the client made of it, the test looks at the client.
            return;
        }
    }

    @Test
    void shouldNameAnswersThatAreNoMetricsOfFairleads() throws Exception {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String[] answer = {"<html></html>\n"};
        int[] status = {200};
        http.createContext("/metrics", exchange -> {
            byte[] body = answer[0].getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status[0], body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        try {
            String address = "127.0.0.1:" + http.getAddress().getPort();
            assertFailure(
                    "fairlead: no Prometheus text: address=" + address
                            + ", line 1: expected a name at column 1 of '<html></html>'; name the port of a process with"
                            + " --metrics-port",
                    address,
                    PATIENTLY);
            answer[0] = "go_goroutines 7\n";
            assertFailure(
                    "fairlead: no metrics of Fairlead's: address=" + address
                            + "; name the port of a process with --metrics-port",
                    address,
                    PATIENTLY);
            answer[0] = "too many scrapes\u001b[2J at once: limit=4\n";
            status[0] = 503;
            assertFailure(
                    "fairlead: metrics refused: address=" + address
                            + ", status=503, answer: too many scrapes [2J at once: limit=4; name the port of a process with"
                            + " --metrics-port",
                    address,
                    PATIENTLY);
        } finally {
            http.stop(0);
        }
    }

    @Test
    void shouldNameAHostThatDoesNotResolve() throws Exception {
        assertFailure(
                "fairlead: host does not resolve: host=no-such-host.invalid; check its spelling, or name it by its"
                        + " address",
                "no-such-host.invalid:9464");
        try (CommandRun top = CommandRun.start("top", "no host:9464")) {
            top.assertStatus(2);
            assertEquals(
                    List.of("fairlead: not a host's name: host=no host; check its spelling, or name it by its address"),
                    top.errors());
        }
    }

    /** As Ctrl-C does while a process stands still. */
    @Test
    void shouldLeaveTheTerminalAsItWasThoughAProcessDoesNotAnswer() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger scrapes = new AtomicInteger();
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", exchange -> {
            if (scrapes.incrementAndGet() > 2) {
                hanging.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            byte[] text = "fairlead_workers 1\n".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        http.start();
        try (CommandRun top = CommandRun.startOnTerminal(
                "top", "127.0.0.1:" + http.getAddress().getPort(), "--interval=0.2", "--timeout=3600")) {
            hanging.await();
            top.handle().descendants().forEach(ProcessHandle::destroy);
            String shown = new String(top.unreadOutput().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(shown.endsWith("\u001b[?25h\u001b[?1049l"), shown);
            top.assertStatus(143);
        } finally {
            over.countDown();
            http.stop(0);
        }
    }

    @Test
    void shouldRefuseWrongUse() throws Exception {
        try (CommandRun top = CommandRun.start("top", "--interval=0")) {
            top.assertStatus(2);
            assertEquals(
                    List.of(
                            "fairlead: Invalid value for option '--interval': 0 s is out of range, allowed 0.01 to 86400 s; see fairlead top --help"),
                    top.errors());
        }
        try (CommandRun top = CommandRun.start("top", "127.0.0.1:port")) {
            top.assertStatus(2);
            assertEquals(1, top.errors().size(), top.errors()::toString);
            assertTrue(
                    top.errors().getFirst().contains("malformed address: address=\"127.0.0.1:port\""),
                    top.errors()::toString);
        }
    }

    private static void assertFailure(String expected, String... arguments) throws Exception {
        try (CommandRun top = start(arguments)) {
            top.assertStatus(1);
            assertEquals(List.of(expected), top.errors());
            assertEquals("", top.text());
        }
    }

    private static String top(String... arguments) throws Exception {
        try (CommandRun top = start(arguments)) {
            top.assertStatus(0);
            return top.text();
        }
    }

    private static CommandRun start(String... arguments) throws IOException {
        String[] all = new String[arguments.length + 1];
        all[0] = "top";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return CommandRun.start(all);
    }

    private static Map<String, String> addresses(CommandRun demo) throws InterruptedException {
        Map<String, String> addresses = new TreeMap<>();
        while (addresses.size() < 4) {
            String line = demo.awaitError("^(\\S+: metrics at http://127\\.0\\.0\\.1:\\d+)/metrics$");
            addresses.put(line.replaceFirst(":.*", ""), line.replaceFirst(".*http://", ""));
        }
        return addresses;
    }
}
