package io.fairlead.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.cli.top.TextFormat.FormatException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What two scrapes tell. */
@Timeout(60)
final class ReadingTest {
    private static final String BEFORE = """
            fairlead_operations_total{operation="send",status="ok",transport="tcp"} 100
            fairlead_operations_total{operation="send",status="peer-failed",transport="tcp"} 3
            fairlead_operations_total{operation="get",status="ok",transport="tcp"} 5
            fairlead_operation_bytes_total{operation="send",transport="tcp"} 1000
            fairlead_operation_latency_seconds_bucket{operation="send",transport="tcp",le="0.001"} 10
            fairlead_operation_latency_seconds_bucket{operation="send",transport="tcp",le="0.002"} 10
            fairlead_operation_latency_seconds_bucket{operation="send",transport="tcp",le="+Inf"} 10
            fairlead_service_requests_total{service="orders",side="service",outcome="ok"} 10
            fairlead_service_requests_total{service="orders",side="service",outcome="not-found"} 1
            fairlead_service_requests_total{service="prices",side="caller",outcome="ok"} 7
            fairlead_service_duration_seconds_bucket{service="orders",side="service",le="0.001"} 5
            fairlead_service_duration_seconds_bucket{service="orders",side="service",le="+Inf"} 5
            fairlead_back_pressure_seconds_total 4
            fairlead_progress_calls_total 1000
            fairlead_progress_idle_total 100
            fairlead_pubsub_published_total 50
            """;
    private static final String NOW = """
            fairlead_operations_total{operation="send",status="ok",transport="tcp"} 300
            fairlead_operations_total{operation="send",status="peer-failed",transport="tcp"} 9
            fairlead_operations_total{operation="get",status="ok",transport="tcp"} 5
            fairlead_operation_bytes_total{operation="send",transport="tcp"} 9000
            fairlead_operation_latency_seconds_bucket{operation="send",transport="tcp",le="0.001"} 10
            fairlead_operation_latency_seconds_bucket{operation="send",transport="tcp",le="0.002"} 30
            fairlead_operation_latency_seconds_bucket{operation="send",transport="tcp",le="+Inf"} 30
            fairlead_endpoints{state="connected",transport="tcp"} 2
            fairlead_endpoints{state="closing",transport="tcp"} 0
            fairlead_paths{path="tcp",reason="policy",transport="tcp"} 2
            fairlead_paths{path="tcp",reason="fastest",transport="tcp"} 0
            fairlead_operations_in_flight 7
            fairlead_credits_outstanding_bytes 250
            fairlead_credits_limit_bytes 1000
            fairlead_service_requests_total{service="orders",side="service",outcome="ok"} 30
            fairlead_service_requests_total{service="orders",side="service",outcome="not-found"} 3
            fairlead_service_requests_total{service="orders",side="service",outcome="failed"} 2
            fairlead_service_requests_total{service="prices",side="caller",outcome="ok"} 7
            fairlead_service_requests_total{service="stock",side="caller",outcome="unavailable"} 4
            fairlead_service_duration_seconds_bucket{service="orders",side="service",le="0.001"} 25
            fairlead_service_duration_seconds_bucket{service="orders",side="service",le="+Inf"} 25
            fairlead_back_pressure_seconds_total 5
            fairlead_progress_calls_total 1400
            fairlead_progress_idle_total 300
            fairlead_progress_gap_seconds 0.25
            fairlead_pubsub_published_total 20
            fairlead_pubsub_lag_max 12
            fairlead_failovers_total 12
            fairlead_failover_failures_total 1
            fairlead_failover_replayed_bytes_total 3400000
            fairlead_peer_failures_total{cause="peer-lost"} 1
            fairlead_peer_failures_total{cause="peer-silent"} 0
            """;

    private static Frame.Figures figures() throws FormatException {
        return new Reading(
                        new Scrape(0, TextFormat.parse(BEFORE)),
                        new Scrape(TimeUnit.SECONDS.toNanos(2), TextFormat.parse(NOW)))
                .figures();
    }

    @Test
    void shouldTakeRatesOverTheTimeBetweenScrapes() throws FormatException {
        Frame.Figures figures = figures();
        assertEquals(2, figures.seconds());
        // Neither the kinds that there were none of nor those that failed.
        assertEquals(
                List.of(new Frame.Operation("tcp", "send", 100, 4000, Optional.of(1500.0), Optional.of(1990.0))),
                figures.operations().stream()
                        .map(row -> new Frame.Operation(
                                row.transport(),
                                row.operation(),
                                row.perSecond(),
                                row.bytesPerSecond(),
                                row.p50Us().map(ReadingTest::rounded),
                                row.p99Us().map(ReadingTest::rounded)))
                        .toList());
        assertEquals(0.5, figures.queues().heldUp());
        assertEquals(new Frame.Progress(200, 0.5, 250, 0), figures.progress());
    }

    @Test
    void shouldShowTheRequestsOfEachServiceAndSide() throws FormatException {
        List<Frame.Requests> requests = figures().requests();
        // Those of which none has ended since are left out.
        assertEquals(
                List.of("orders service", "stock caller"),
                requests.stream().map(row -> row.service() + " " + row.side()).toList());
        Frame.Requests orders = requests.getFirst();
        assertEquals(10, orders.okPerSecond());
        assertEquals(2, orders.failedPerSecond());
        assertEquals(500, rounded(orders.p50Us().orElseThrow()));
        assertEquals(Optional.empty(), requests.getLast().p50Us());
        List<String> lines = TopText.lines(new Frame(List.of(Frame.Row.of("here", figures()))));
        assertEquals(
                List.of(
                        "REQUESTS  service  side     ok/s  failed/s  p50 us  p99 us",
                        "here      orders   service  10.0       2.0   500.0   990.0",
                        "here      stock    caller    0.0       2.0       -       -"),
                lines.subList(3, 6));
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    @Test
    void shouldShowWhatThereIsNow() throws FormatException {
        Frame.Figures figures = figures();
        assertEquals(List.of(new Frame.Endpoints("tcp", "connected", 2)), figures.endpoints());
        assertEquals(List.of(new Frame.Path("tcp", "tcp", "policy", 2)), figures.paths());
        assertEquals(List.of(new Frame.Failures("peer-lost", 1)), figures.peerFailures());
        assertEquals(7, figures.queues().inFlight());
        assertEquals(0.25, figures.queues().creditsUsed());
        assertEquals(12, figures.pubsub().lagMax());
        assertEquals(new Frame.Switches(12, 1, 3_400_000), figures.switches());
        List<String> lines = TopText.lines(new Frame(List.of(Frame.Row.of("here", figures))));
        int at = lines.indexOf("FAILOVER  went on  failed  MB replayed");
        assertEquals("here           12       1          3.4", lines.get(at + 1));
    }

    @Test
    void shouldTakeACounterThatFellForThatOfAProcessThatWasStartedAnew() throws FormatException {
        assertEquals(10, figures().pubsub().publishedPerSecond());
    }

    @Test
    void shouldSpreadValuesEvenlyWithinABucket() {
        TreeMap<Double, Double> upTo = new TreeMap<>(Map.of(1.0, 0.0, 2.0, 50.0, 4.0, 100.0));
        upTo.put(Double.POSITIVE_INFINITY, 100.0);
        assertEquals(Optional.of(2.0), Quantiles.of(0.5, upTo));
        assertEquals(Optional.of(3.0), Quantiles.of(0.75, upTo));
        assertEquals(Optional.of(4.0), Quantiles.of(1, upTo));
        upTo.put(Double.POSITIVE_INFINITY, 1000.0);
        assertEquals(Optional.of(4.0), Quantiles.of(0.99, upTo));
    }

    @Test
    void shouldHaveNoQuantileOfNothing() {
        assertEquals(Optional.empty(), Quantiles.of(0.5, new TreeMap<>()));
        assertEquals(Optional.empty(), Quantiles.of(0.5, new TreeMap<>(Map.of(Double.POSITIVE_INFINITY, 0.0))));
    }
}
