package io.fairlead.testkit.layers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What the suites about requests share. */
abstract class RequestCases extends NodeCases {
    static final long TAG = 7;
    /** Longer than any case takes. */
    static final Duration LONG = Duration.ofMinutes(10);

    static final Duration DEADLINE = Duration.ofSeconds(Long.getLong("fairlead.contract.deadline-s", 60));

    RequestCases() {}

    /** Waits for a request to fail. */
    static RequestException refusalOf(CompletableFuture<Message> request) {
        ExecutionException failed =
                assertThrows(ExecutionException.class, () -> request.get(DEADLINE.toSeconds(), TimeUnit.SECONDS));
        RequestException refusal = assertInstanceOf(RequestException.class, failed.getCause());
        assertEquals(1, String.valueOf(refusal.getMessage()).lines().count(), refusal::getMessage);
        return refusal;
    }

    /** Waits for a request to fail with a status. */
    static RequestException refusalOf(RequestStatus expected, CompletableFuture<Message> request) {
        RequestException refusal = refusalOf(request);
        assertEquals(expected, refusal.status(), refusal::getMessage);
        return refusal;
    }

    static String textOf(CompletableFuture<Message> request) {
        return text(get(request));
    }

    static String text(Message message) {
        return new String(message.bytes(), UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Waits for what other threads bring about. */
    static void until(BooleanSupplier condition, String what) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > DEADLINE.toNanos()) {
                throw new AssertionError("waited " + DEADLINE.toSeconds() + " s for " + what);
            }
            Thread.yield();
        }
    }

    /** Waits until no request is left in any table of a node. */
    static void assertNothingLeft(Node node) {
        until(
                () -> RequestStatistics.of(node.context()).value(RequestCounter.OUTSTANDING_NOW) == 0,
                "requests without replies to end");
        until(
                () -> RequestStatistics.of(node.context()).value(RequestCounter.SERVED_NOW) == 0,
                "served requests to end");
    }

    final void assertNothingLeft() {
        assertNothingLeft(clientNode());
        assertNothingLeft(serverNode());
    }
}
