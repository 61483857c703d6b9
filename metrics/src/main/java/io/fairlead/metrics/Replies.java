package io.fairlead.metrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/** Short texts as answers. Stateless. */
final class Replies {
    private Replies() {}

    static void probe(HttpExchange exchange, Supplier<Optional<String>> probe) throws IOException {
        Optional<String> problem;
        try {
            problem = probe.get();
        } catch (Throwable failure) {
            // Also what is no RuntimeException: other languages throw anything.
            problem = Optional.of("the probe failed: " + failure);
        }
        answer(exchange, problem.isEmpty() ? 200 : 503, "text/plain", problem.orElse("ok") + "\n");
    }

    static String notFound(HttpExchange exchange) {
        return "not found: " + exchange.getRequestURI().getPath() + "; /metrics, /health and /ready are here\n";
    }

    static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        try (exchange) {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Type", type + "; charset=utf-8");
            headers.set("Cache-Control", "no-store");
            boolean head = "HEAD".equals(exchange.getRequestMethod());
            exchange.sendResponseHeaders(status, head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }
}
