package io.fairlead.metrics;

import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** Requests to the metrics server, with a token and without; an odd first byte has the right token shown. */
public final class MetricsHarness implements Harness {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final Set<String> STATUS = Set.of("200", "400", "401", "404", "405", "500", "503");
    private static final Set<String> HEADERS = Set.of(
            "Allow",
            "Cache-control",
            "Connection",
            "Content-encoding",
            "Content-length",
            "Content-type",
            "Www-authenticate");

    private final MetricsServer server =
            MetricsServer.builder().bearerToken(TOKEN).start();
    private final Socket socket = new Socket();

    @Override
    public List<byte[]> seeds() {
        return List.of(
                seed(1, "GET /metrics HTTP/1.1\r\n\r\n"),
                seed(
                        1,
                        "GET /metrics?name[]=fairlead_telemetry_dropped_total&x=%41 HTTP/1.0\r\nAccept: application/openmetrics-text\r\n\r\n"),
                seed(1, "HEAD /health HTTP/1.1\r\nAccept-Encoding: gzip\r\nA: b\r\n\r\n"),
                seed(1, "POST /ready HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"),
                seed(0, "GET /nothing HTTP/1.1\nAuthorization: Bearer 0123\n\n"));
    }

    private static byte[] seed(int first, String text) {
        return Input.behind(first, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void run(byte[] input) {
        Input bytes = new Input(input);
        boolean isShown = (bytes.u8() & 1) != 0;
        BufferedExchange exchange;
        try {
            exchange = RequestReader.read(new ByteArrayInputStream(bytes.rest()), socket);
        } catch (IOException refused) {
            Expect.that(refused.getMessage() != null, "a refusal says nothing");
            return;
        }
        if (isShown) {
            exchange.getRequestHeaders().set("Authorization", "Bearer " + TOKEN);
        }
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try {
            server.serve(exchange);
            exchange.write(written);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        check(written.toString(StandardCharsets.ISO_8859_1), isShown, exchange.getRequestMethod());
    }

    /** An answer is one, and says nothing that the client has put into it before the body. */
    private static void check(String answer, boolean isShown, String method) {
        int end = answer.indexOf("\r\n\r\n");
        Expect.that(end > 0, "an answer without an end of its head");
        String[] lines = answer.substring(0, end).split("\r\n", -1);
        String[] status = lines[0].split(" ", -1);
        Expect.that(status[0].equals("HTTP/1.1") && STATUS.contains(status[1]), "another status: " + lines[0]);
        Expect.that(isShown || status[1].equals("401"), "answered without a token");
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(": ");
            Expect.that(colon > 0 && HEADERS.contains(lines[i].substring(0, colon)), "another header: " + lines[i]);
        }
        Expect.that(!method.equals("HEAD") || answer.length() == end + 4, "an answer to HEAD has a body");
    }

    /** A page of metrics, whatever is asked, and what its reader keeps of the request. */
    @Override
    public long heapMax(byte[] input) {
        return (4 << 20) + 256L * input.length;
    }
}
