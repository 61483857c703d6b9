package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class FairleadMetricsTest {
    private final Bench bench = new Bench();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @AfterEach
    void close() {
        registry.close();
        bench.close();
    }

    @Test
    void shouldTellOperationsAndBytes() {
        FairleadMetrics.of(bench.client).bindTo(registry);
        Endpoint endpoint = bench.connect();
        bench.useEverything(endpoint);
        bench.useEverything(endpoint);
        Exposition scraped = Exposition.of(registry);

        for (String operation : List.of("send", "put", "get", "atomic", "flush")) {
            assertEquals(
                    2,
                    scraped.value(
                            "fairlead_operations_total",
                            "transport",
                            "loopback",
                            "operation",
                            operation,
                            "status",
                            "ok"),
                    operation);
        }
        assertEquals(200, scraped.value("fairlead_operation_bytes_total", "operation", "send"));
        assertEquals(400, scraped.value("fairlead_operation_bytes_total", "operation", "put"));
        assertEquals(600, scraped.value("fairlead_operation_bytes_total", "operation", "get"));
        assertEquals(0, scraped.value("fairlead_operations_in_flight"));
    }

    @Test
    void shouldTellPeersApartByTheirIdentity(@TempDir Path folder) throws IOException {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        Path secret = Files.writeString(folder.resolve("secret"), HexFormat.of().formatHex(random));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        FairleadConfig secured = Bench.config()
                .with(ConfigKeys.SECURITY_MODE, SecurityMode.AUTHENTICATED)
                .with(SecurityKeys.SHARED_SECRET_FILE, secret.toString());
        try (Bench proven = new Bench(secured)) {
            FairleadMetrics.of(proven.client).bindTo(registry);
            assertEquals(2, Exposition.of(registry).value("fairlead_identities"));
            proven.useEverything(proven.connect());
            assertEquals(3, Exposition.of(registry).value("fairlead_identities"));
            Exposition scraped = Exposition.of(registry);

            String[] peer = {"peer_identity", "shared-secret"};
            assertEquals(1, scraped.value("fairlead_identity_endpoints", peer));
            assertEquals(1, scraped.value("fairlead_identity_connects_total", peer));
            assertEquals(300, scraped.value("fairlead_identity_sent_bytes_total", peer));
            assertEquals(300, scraped.value("fairlead_identity_received_bytes_total", peer));
            assertEquals(0, scraped.value("fairlead_identity_connects_total", "peer_identity", "anonymous"));
            assertEquals(0, scraped.value("fairlead_identity_connects_total", "peer_identity", "other"));
        }
    }

    @Test
    void shouldCountPeersAsAnonymousWithoutSecurity() {
        FairleadMetrics.of(bench.client).bindTo(registry);
        bench.useEverything(bench.connect());
        Exposition scraped = Exposition.of(registry);

        assertEquals(1, scraped.value("fairlead_identity_endpoints", "peer_identity", "anonymous"));
        assertEquals(300, scraped.value("fairlead_identity_sent_bytes_total", "peer_identity", "anonymous"));
        assertEquals(2, scraped.value("fairlead_identities"));
    }

    @Test
    void shouldTellLatenciesInBucketsThatAddUp() {
        FairleadMetrics.of(bench.client).bindTo(registry);
        Endpoint endpoint = bench.connect();
        for (int i = 0; i < 10; i++) {
            bench.useEverything(endpoint);
        }
        Exposition scraped = Exposition.of(registry);

        assertEquals("histogram", scraped.types.get("fairlead_operation_latency_seconds"));
        assertEquals(10, scraped.value("fairlead_operation_latency_seconds_count", "operation", "put"));
        assertEquals(10, scraped.value("fairlead_operation_latency_seconds_bucket", "operation", "put", "le", "+Inf"));
        double sum = scraped.value("fairlead_operation_latency_seconds_sum", "operation", "put");
        assertTrue(sum > 0 && sum < 60, () -> "sum " + sum);
        assertEquals(10, scraped.value("fairlead_operations_timed_total", "operation", "put"));
        List<Double> cumulative = scraped.samples.stream()
                .filter(sample -> sample.name().equals("fairlead_operation_latency_seconds_bucket")
                        && "put".equals(sample.labels().get("operation")))
                .map(Exposition.Sample::value)
                .toList();
        assertEquals(cumulative.stream().sorted().toList(), cumulative);
    }

    @Test
    void shouldTellEndpointsByTransportStatePathAndReason() {
        FairleadMetrics.of(bench.client).bindTo(registry);
        Endpoint endpoint = bench.connect();
        bench.connect();
        Exposition connected = Exposition.of(registry);
        assertEquals(2, connected.value("fairlead_endpoints", "transport", "loopback", "state", "connected"));
        assertEquals(
                2,
                connected.value("fairlead_paths", "transport", "loopback", "path", "in-process", "reason", "policy")
                        + connected.value(
                                "fairlead_paths",
                                "transport",
                                "loopback",
                                "path",
                                "in-process",
                                "reason",
                                "only-shared"));
        assertEquals(2, connected.value("fairlead_connects_total"));

        bench.accepted.getFirst().abort();
        bench.until(() -> endpoint.state() == EndpointState.FAILED);
        Exposition lost = Exposition.of(registry);
        assertEquals(1, lost.value("fairlead_endpoints", "transport", "loopback", "state", "connected"));
        assertEquals(1, lost.value("fairlead_peer_failures_total", "cause", "peer-lost"));
        assertEquals(1, lost.sum("fairlead_paths").orElseThrow());
        assertTrue(lost.value("fairlead_peer_failure_detection_seconds_total", "cause", "peer-lost") >= 0);
    }

    @Test
    void shouldTellWhyAConnectionWasNotMade() {
        FairleadMetrics.of(bench.client).bindTo(registry);
        InetSocketAddress address = bench.address();
        Endpoint endpoint = bench.asking.connect(new InetSocketAddress(address.getAddress(), 1), EndpointHandler.NONE);
        bench.until(() -> endpoint.state() == EndpointState.FAILED);

        Exposition scraped = Exposition.of(registry);
        assertEquals(1, scraped.value("fairlead_connect_failures_total", "cause", "connection-refused"));
        assertEquals(0, scraped.sum("fairlead_peer_failures_total").orElseThrow());
        assertEquals(0, scraped.sum("fairlead_endpoints").orElseThrow());
    }

    @Test
    void shouldTellPublishSubscribe() {
        FairleadMetrics.of(bench.server).withTopics("prices").bindTo(registry);
        PrometheusMeterRegistry ofClient = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        FairleadMetrics.of(bench.client).withTopics("prices", "absent").bindTo(ofClient);
        bench.publish("prices", 50);
        bench.publish("trades", 7);

        Exposition published = Exposition.of(registry);
        assertEquals(57, published.value("fairlead_pubsub_published_total"));
        assertEquals(57 * 64, published.value("fairlead_pubsub_published_payload_bytes_total"));
        assertEquals(0, published.value("fairlead_pubsub_topics"), "both are closed");
        Exposition delivered = Exposition.of(ofClient);
        assertEquals(57, delivered.value("fairlead_pubsub_delivered_total"));
        assertEquals(0, delivered.value("fairlead_pubsub_lag"));
        assertEquals(0, delivered.value("fairlead_topic_delivered_total", "topic", "absent"));
    }

    @Test
    void shouldWorkWithARegistryOfTheApplications() {
        CompositeMeterRegistry application = new CompositeMeterRegistry();
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        application.add(simple);
        application.add(registry);
        application.config().commonTags("service", "orders");
        FairleadMetrics.of(bench.client).bindTo(application);
        bench.useEverything(bench.connect());

        Exposition scraped = Exposition.of(registry);
        assertEquals(
                1, scraped.value("fairlead_operations_total", "operation", "get", "status", "ok", "service", "orders"));
        assertEquals(
                1,
                scraped.value("fairlead_operation_latency_seconds_count", "operation", "get", "service", "orders"),
                "histograms take over what the registry does to tags");
        assertEquals(
                1,
                simple.get("fairlead.operations")
                        .tags("operation", "get", "status", "ok", "service", "orders")
                        .functionCounter()
                        .count());
        FunctionTimer timer = simple.get("fairlead.operation.latency")
                .tags("operation", "get", "service", "orders")
                .functionTimer();
        assertEquals(1, timer.count());
        assertTrue(timer.totalTime(TimeUnit.NANOSECONDS) > 0);
    }

    @Test
    void shouldKeepTwoContextsOfOneRegistryApartByTags() {
        FairleadMetrics.of(bench.client)
                .withTags(List.of(Tag.of("node", "asks")))
                .bindTo(registry);
        FairleadMetrics.of(bench.server).withTags(Tags.of("node", "serves")).bindTo(registry);
        bench.useEverything(bench.connect());

        Exposition scraped = Exposition.of(registry);
        assertEquals(
                1, scraped.value("fairlead_operations_total", "operation", "send", "status", "ok", "node", "asks"));
        assertEquals(
                1,
                scraped.value(
                        "fairlead_operations_total",
                        "transport",
                        "loopback",
                        "operation",
                        "receive",
                        "status",
                        "ok",
                        "node",
                        "serves"));
        assertEquals(1, scraped.value("fairlead_operation_latency_seconds_count", "operation", "send", "node", "asks"));
        assertEquals(
                1, scraped.value("fairlead_operation_latency_seconds_count", "operation", "receive", "node", "serves"));
    }

    @Test
    void shouldShowNothingTwiceWhenBoundTwice() {
        FairleadMetrics.of(bench.client).bindTo(registry);
        FairleadMetrics.of(bench.client).bindTo(registry);
        bench.useEverything(bench.connect());
        assertEquals(1, Exposition.of(registry).value("fairlead_operation_latency_seconds_count", "operation", "send"));
    }

    @Test
    void shouldLeaveOutWhatAFilterDenies() {
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("fairlead.operations.timed"));
        FairleadMetrics.of(bench.client).bindTo(registry);
        bench.useEverything(bench.connect());
        Exposition scraped = Exposition.of(registry);
        assertTrue(scraped.sum("fairlead_operation_latency_seconds_count").isEmpty());
        assertNotNull(scraped.types.get("fairlead_operations_total"));
    }

    @Test
    void shouldTellMemoryAndTransports() {
        FairleadMetrics.of(bench.server).bindTo(registry);
        try (var region = bench.server.allocate(8192, java.util.EnumSet.of(io.fairlead.AccessRight.READ))) {
            Exposition scraped = Exposition.of(registry);
            assertEquals(1, scraped.value("fairlead_regions"));
            assertEquals(region.length(), scraped.value("fairlead_regions_length_bytes"));
            assertEquals(65536, scraped.value("fairlead_regions_limit"));
            assertEquals(1, scraped.value("fairlead_transport_available", "transport", "loopback"));
        }
        assertEquals(0, Exposition.of(registry).value("fairlead_regions"));
        assertEquals(0, Exposition.of(registry).value("fairlead_regions_length_bytes"));
    }
}
