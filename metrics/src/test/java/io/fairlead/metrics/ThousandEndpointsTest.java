package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Timeout(180)
final class ThousandEndpointsTest {
    private static final Logger LOG = LoggerFactory.getLogger(ThousandEndpointsTest.class);
    private static final int ENDPOINTS = 1000;
    /** Below what a listener carries on at once. */
    private static final int AT_ONCE = 100;

    private static final long ALLOCATED_MAX = 5_000_000;
    private static final long CPU_NS_MAX = 50_000_000;
    private static final int WARM_UP = 50;
    private static final int MEASURED = 10;

    @Test
    void shouldNotShowMoreSeriesForMorePeersAndAnswerAScrapeCheaply() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Bench bench = new Bench()) {
            FairleadMetrics.of(bench.client).bindTo(registry);
            bench.useEverything(bench.connect());
            long series = series(Exposition.of(registry));

            List<Endpoint> endpoints = new ArrayList<>();
            while (endpoints.size() < ENDPOINTS - 1) {
                endpoints.add(bench.asking.connect(bench.address(), EndpointHandler.NONE));
                if (endpoints.size() % AT_ONCE == 0 || endpoints.size() == ENDPOINTS - 1) {
                    bench.until(
                            () -> endpoints.stream().allMatch(endpoint -> endpoint.state() == EndpointState.CONNECTED));
                }
            }
            endpoints.forEach(bench::sendOne);
            Exposition scraped = Exposition.of(registry);

            assertEquals(ENDPOINTS, scraped.value("fairlead_endpoints", "state", "connected", "transport", "loopback"));
            assertEquals(ENDPOINTS, scraped.value("fairlead_operations_total", "operation", "send", "status", "ok"));
            assertEquals(series, series(scraped), "the number of series grew with peers");
            measure(registry, scraped.samples.size());
        }
    }

    /** Without the round trips on control channels: when the first of them is due is a matter of time and not of peers. */
    private static long series(Exposition scraped) {
        return scraped.samples.stream()
                .filter(sample -> !sample.name().startsWith(FairleadMeter.CONTROL_ROUND_TRIP.prometheusName()))
                .count();
    }

    private static void measure(PrometheusMeterRegistry registry, int series) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < WARM_UP; i++) {
            registry.scrape(OutputStream.nullOutputStream());
        }
        long allocated = threads.getCurrentThreadAllocatedBytes();
        registry.scrape(OutputStream.nullOutputStream());
        long bytes = threads.getCurrentThreadAllocatedBytes() - allocated;
        long cpuNs = Long.MAX_VALUE;
        for (int i = 0; i < MEASURED; i++) {
            long cpu = threads.getCurrentThreadCpuTime();
            registry.scrape(OutputStream.nullOutputStream());
            cpuNs = Math.min(cpuNs, threads.getCurrentThreadCpuTime() - cpu);
        }
        long leastNs = cpuNs;
        // Tests log warnings only, and this is to be seen.
        LOG.warn(
                "measured, scrape of {} endpoints: series={}, CPU={} ms, allocated={} bytes",
                ENDPOINTS,
                series,
                cpuNs / 1_000_000.0,
                bytes);
        // Of processor time, which is this thread's own whatever else the machine does, and the least of several.
        assertTrue(leastNs < CPU_NS_MAX, () -> "a scrape took " + leastNs + " ns of CPU time, limit " + CPU_NS_MAX);
        assertTrue(bytes < ALLOCATED_MAX, () -> "a scrape allocated " + bytes + " bytes, limit " + ALLOCATED_MAX);
    }
}
