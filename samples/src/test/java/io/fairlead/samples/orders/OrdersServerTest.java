package io.fairlead.samples.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The processes of docs/first-service.md; the server as docs/kubernetes.md runs it in a container, with the variables of its manifest but for keys and addresses. */
@Timeout(120)
final class OrdersServerTest {
    private static final String READY = "serving at ";

    @TempDir
    private Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Path containerfile() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("config/Containerfile"))) {
            folder = folder.getParent();
        }
        return folder.resolve("config/Containerfile");
    }

    private static int status(HttpClient http, String page) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(page)).build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    /** The command line of config/Containerfile, with what this process has for what the image has. */
    private static List<String> entryPoint() throws IOException {
        String line = Files.readAllLines(containerfile()).stream()
                .filter(instruction -> instruction.startsWith("ENTRYPOINT "))
                .findFirst()
                .orElseThrow();
        Map<String, String> here = Map.of(
                "java", Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "app.jar:lib/*", System.getProperty("java.class.path"),
                "com.example.OrdersServer", OrdersServer.class.getName());
        List<String> words = new ArrayList<>();
        Pattern.compile("\"([^\"]+)\"")
                .matcher(line)
                .results()
                .map(word -> here.getOrDefault(word.group(1), word.group(1)))
                .forEach(words::add);
        assertTrue(words.containsAll(here.values()), words::toString);
        words.add("127.0.0.1:0");
        return words;
    }

    private static String printed(Runnable program) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try (PrintStream capture = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(capture);
            program.run();
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldServeProbesAndEndAtSigterm() throws Exception {
        int port = freePort();
        ProcessBuilder builder = new ProcessBuilder(entryPoint())
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(Map.of("FAIRLEAD_METRICS_PORT", Integer.toString(port)));
        Process server = builder.start();
        try (BufferedReader output = server.inputReader();
                HttpClient http = HttpClient.newHttpClient()) {
            String line = "";
            // Its log comes on the same stream.
            while (!line.startsWith(READY)) {
                line = Objects.requireNonNull(output.readLine(), "the process has ended");
            }
            String address = "127.0.0.1:" + line.substring(line.lastIndexOf(':') + 1);
            String base = "http://127.0.0.1:" + port;
            assertEquals(200, status(http, base + "/ready"));
            assertEquals(200, status(http, base + "/health"));
            assertEquals(200, status(http, base + "/metrics"));
            assertEquals(
                    "Receipt[number=1, order=Order[item=rope, count=2]]\nINVALID_ARGUMENT count=0; order at least 1\n",
                    printed(() -> OrdersClient.main(new String[] {"static:" + address})));
            // SIGTERM, as a kubelet sends it.
            server.destroy();
            assertEquals(143, server.waitFor());
        } finally {
            server.destroyForcibly();
        }
    }
}
