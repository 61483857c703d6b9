package io.fairlead.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that succeed, fail and wait, as two nodes' meters tell of them. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RequestMetersTest {
    private static final long ECHO = 1;
    private static final long NOBODY = 2;
    private static final long LATER = 3;
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private static MeterRegistry bind(Node node) {
        MeterRegistry registry = new SimpleMeterRegistry();
        FairleadMetrics.of(node).bindTo(registry);
        return registry;
    }

    private static double counted(MeterRegistry registry, FairleadMeter meter) {
        return registry.get(meter.meterName()).functionCounter().count();
    }

    private static double now(MeterRegistry registry, FairleadMeter meter) {
        return registry.get(meter.meterName()).gauge().value();
    }

    /** The nodes' threads count when they come to it. */
    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }

    @Test
    void shouldCountRequestsAtBothSides() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "tcp");
        try (Node server = Node.start(config);
                Node client = Node.start(config)) {
            MeterRegistry serving = bind(server);
            MeterRegistry asking = bind(client);
            CompletableFuture<Void> answer = new CompletableFuture<>();
            server.serve(ECHO, request -> request.reply(request.bytes()));
            server.serve(LATER, request -> answer.thenRun(() -> request.reply(request.bytes())));
            Listener listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), _ -> {});
            Peer peer = client.connect(listener.address()).join();
            byte[] text = "text".getBytes(UTF_8);
            for (int i = 0; i < 3; i++) {
                peer.request(text, ECHO, DEADLINE).join();
            }
            CompletableFuture<Message> refused = peer.request(text, NOBODY, DEADLINE);
            assertThrows(CompletionException.class, refused::join);

            assertEquals(3, counted(asking, FairleadMeter.REQUESTS_SUCCEEDED));
            assertEquals(1, counted(asking, FairleadMeter.REQUESTS_FAILED));
            assertEquals(4, counted(asking, FairleadMeter.REQUESTS_SENT));
            assertEquals(4, counted(serving, FairleadMeter.REQUESTS_RECEIVED));
            until(() -> counted(serving, FairleadMeter.REQUESTS_REPLIED) == 3);
            assertEquals(1, counted(serving, FairleadMeter.REQUESTS_REFUSED));

            CompletableFuture<Message> waiting = peer.request(text, LATER, DEADLINE);
            until(() -> now(serving, FairleadMeter.REQUESTS_SERVED_NOW) == 1);
            assertEquals(1, now(asking, FairleadMeter.REQUESTS_OUTSTANDING));
            answer.complete(null);
            waiting.join();
            until(() -> now(asking, FairleadMeter.REQUESTS_OUTSTANDING) == 0);
            until(() -> now(serving, FairleadMeter.REQUESTS_SERVED_NOW) == 0);
            assertEquals(0, counted(asking, FairleadMeter.REPLIES_LATE));
        }
    }
}
