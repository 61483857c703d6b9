package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceStatistics;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests are counted and timed by service, outcome and side, and services that come later appear at the next scrape. */
@Timeout(120)
final class ServiceMetersTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final long ORDERS = 5;

    private static FairleadConfig config(String name) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, name)
                .with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMillis(50))
                .with(ConfigKeys.TRANSPORTS, "tcp");
    }

    @Test
    void shouldCountAndTimeRequestsByServiceOutcomeAndSide() {
        PrometheusMeterRegistry served = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        PrometheusMeterRegistry called = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Node server = Node.start(config("server"));
                Node client = Node.start(config("client"))) {
            FairleadMetrics.of(server).bindTo(served);
            FairleadMetrics.of(client).bindTo(called);
            server.serve(
                    ORDERS,
                    request -> {
                        if (request.length() == 2) {
                            throw new IllegalStateException("two");
                        }
                        request.reply(request.bytes());
                    },
                    ServiceOptions.DEFAULT.named("orders"));
            server.serve(ORDERS + 1, request -> request.reply(request.bytes()));
            Peer peer = client.connect(server.listen("127.0.0.1:0", _ -> {}).address())
                    .join();
            for (int i = 0; i < 3; i++) {
                peer.request(new byte[1], ORDERS, LONG).join().close();
            }
            assertThrows(
                    CompletionException.class,
                    () -> peer.request(new byte[2], ORDERS, LONG).join());
            assertThrows(
                    CompletionException.class,
                    () -> peer.request(new byte[2], ORDERS + 2, LONG).join());

            // The scrape that finds a service has it in the next one.
            Exposition.of(served);
            Exposition.of(called);
            Exposition atServer = Exposition.of(served);
            Exposition atClient = Exposition.of(called);
            assertEquals(3, requests(atServer, "orders", "service", "ok"));
            assertEquals(1, requests(atServer, "orders", "service", "failed"));
            assertEquals(0, requests(atServer, "6", "service", "ok"));
            assertEquals(3, requests(atClient, "5", "caller", "ok"));
            assertEquals(1, requests(atClient, "5", "caller", "failed"));
            assertEquals(1, requests(atClient, "7", "caller", "unimplemented"));
            assertEquals(2, atServer.value("fairlead_services"));
            assertEquals(2, atClient.value("fairlead_services"));
            assertEquals(
                    4,
                    atServer.value("fairlead_service_duration_seconds_count", "service", "orders", "side", "service"));
            assertEquals(
                    4,
                    atServer.value("fairlead_service_waiting_seconds_count", "service", "orders", "side", "service"));
            assertEquals(4, atServer.value("fairlead_service_begun_total", "service", "orders", "side", "service"));
            assertEquals(
                    4, atClient.value("fairlead_service_duration_seconds_count", "service", "5", "side", "caller"));
            assertTrue(atClient.value("fairlead_service_duration_seconds_sum", "service", "5", "side", "caller") > 0);
        }
    }

    private static double requests(Exposition scraped, String service, String side, String outcome) {
        return scraped.value("fairlead_service_requests_total", "service", service, "side", side, "outcome", outcome);
    }

    @Test
    void shouldBoundTheServicesThatAreCountedApart() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        int count = RequestStatistics.SERVICES_MAX + 10;
        try (Node node = Node.start(config("node"))) {
            FairleadMetrics.of(node).withTags(Tags.of("app", "x")).bindTo(registry);
            Peer peer =
                    node.connect(node.listen("127.0.0.1:0", _ -> {}).address()).join();
            for (int tag = 0; tag < count; tag++) {
                long asked = tag;
                assertThrows(
                        CompletionException.class,
                        () -> peer.request(new byte[1], asked, LONG).join());
            }
            assertEquals(
                    RequestStatistics.SERVICES_MAX + 1,
                    RequestStatistics.of(node.context()).services().size());
            ServiceStatistics others =
                    RequestStatistics.of(node.context()).services().getLast();
            assertEquals("other", others.service());
            assertEquals(10, others.count(RequestStatus.UNIMPLEMENTED));
            assertEquals(
                    RequestStatistics.SERVICES_MAX + 1,
                    registry.get("fairlead.services").gauge().value());
            assertEquals(
                    10,
                    registry.get("fairlead.service.requests")
                            .tags("service", "other", "outcome", "unimplemented", "app", "x")
                            .functionCounter()
                            .count());
        }
    }
}
