package io.fairlead.cli.top;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Predicate;

/**
 * Makes figures of two scrapes of one process.
 *
 * @param before the earlier
 * @param now the later
 */
record Reading(Scrape before, Scrape now) {
    private static final double SECOND_US = 1e6;
    private static final double SECOND_MS = 1e3;
    private static final double MEDIAN = 0.5;
    private static final double NEARLY_ALL = 0.99;

    Frame.Figures figures() {
        return new Frame.Figures(
                now.secondsSince(before),
                endpoints(),
                paths(),
                operations(),
                requests(),
                queues(),
                progress(),
                pubsub(),
                switches(),
                failures());
    }

    private List<Frame.Endpoints> endpoints() {
        return now.samples("fairlead_endpoints")
                .filter(sample -> sample.value() > 0)
                .map(sample ->
                        new Frame.Endpoints(sample.label("transport"), sample.label("state"), (long) sample.value()))
                .sorted(Comparator.comparing(Frame.Endpoints::transport).thenComparing(Frame.Endpoints::state))
                .toList();
    }

    private List<Frame.Path> paths() {
        return now.samples("fairlead_paths")
                .filter(sample -> sample.value() > 0)
                .map(sample -> new Frame.Path(
                        sample.label("transport"), sample.label("path"), sample.label("reason"), (long) sample.value()))
                .sorted(Comparator.comparing(Frame.Path::transport)
                        .thenComparing(Frame.Path::path)
                        .thenComparing(Frame.Path::reason))
                .toList();
    }

    /** The operations since the last scrape. */
    private List<Frame.Operation> operations() {
        List<Frame.Operation> all = new ArrayList<>();
        for (String transport : now.labels("fairlead_operations_total", "transport")) {
            for (String operation : now.labels("fairlead_operations_total", "operation")) {
                Predicate<Sample> which = sample -> sample.label("transport").equals(transport)
                        && sample.label("operation").equals(operation);
                double perSecond = rate(
                        "fairlead_operations_total",
                        which.and(sample -> sample.label("status").equals("ok")));
                if (perSecond > 0) {
                    NavigableMap<Double, Double> latencies =
                            now.buckets(before, "fairlead_operation_latency_seconds", which);
                    all.add(new Frame.Operation(
                            transport,
                            operation,
                            perSecond,
                            rate("fairlead_operation_bytes_total", which),
                            Quantiles.of(MEDIAN, latencies).map(seconds -> seconds * SECOND_US),
                            Quantiles.of(NEARLY_ALL, latencies).map(seconds -> seconds * SECOND_US)));
                }
            }
        }
        return all;
    }

    /** The requests that ended since the last scrape, by service and side. */
    private List<Frame.Requests> requests() {
        String total = "fairlead_service_requests_total";
        List<Frame.Requests> all = new ArrayList<>();
        for (String service : now.labels(total, "service")) {
            for (String side : now.labels(total, "side")) {
                Predicate<Sample> which = sample -> sample.label("service").equals(service)
                        && sample.label("side").equals(side);
                Predicate<Sample> ok = sample -> sample.label("outcome").equals("ok");
                double answered = rate(total, which.and(ok));
                double failed = rate(total, which.and(ok.negate()));
                if (answered + failed > 0) {
                    NavigableMap<Double, Double> durations =
                            now.buckets(before, "fairlead_service_duration_seconds", which);
                    all.add(new Frame.Requests(
                            service,
                            side,
                            answered,
                            failed,
                            Quantiles.of(MEDIAN, durations).map(seconds -> seconds * SECOND_US),
                            Quantiles.of(NEARLY_ALL, durations).map(seconds -> seconds * SECOND_US)));
                }
            }
        }
        return all;
    }

    private Frame.Queues queues() {
        return new Frame.Queues(
                count("fairlead_operations_in_flight"),
                count("fairlead_receives_posted"),
                count("fairlead_messages_waiting"),
                count("fairlead_messages_waiting_length_bytes"),
                count("fairlead_credits_outstanding_bytes"),
                count("fairlead_credits_limit_bytes"),
                rate("fairlead_back_pressure_seconds_total"));
    }

    private Frame.Progress progress() {
        double calls = rate("fairlead_progress_calls_total");
        return new Frame.Progress(
                calls,
                calls > 0 ? rate("fairlead_progress_idle_total") / calls : 0,
                now.sum("fairlead_progress_gap_seconds") * SECOND_MS,
                now.sum("fairlead_progress_stall_seconds") * SECOND_MS);
    }

    private Frame.PubSub pubsub() {
        return new Frame.PubSub(
                count("fairlead_pubsub_published_total"),
                count("fairlead_pubsub_delivered_total"),
                rate("fairlead_pubsub_published_total"),
                rate("fairlead_pubsub_delivered_total"),
                rate("fairlead_pubsub_missed_total"),
                count("fairlead_pubsub_subscribers"),
                count("fairlead_pubsub_subscriptions"),
                count("fairlead_pubsub_lag"),
                count("fairlead_pubsub_lag_max"));
    }

    private Frame.Switches switches() {
        return new Frame.Switches(
                count("fairlead_failovers_total"),
                count("fairlead_failover_failures_total"),
                count("fairlead_failover_replayed_bytes_total"));
    }

    private List<Frame.Failures> failures() {
        return now.samples("fairlead_peer_failures_total")
                .filter(sample -> sample.value() > 0)
                .map(sample -> new Frame.Failures(sample.label("cause"), (long) sample.value()))
                .sorted(Comparator.comparing(Frame.Failures::cause))
                .toList();
    }

    private long count(String name) {
        return (long) now.sum(name);
    }

    private double rate(String name) {
        return rate(name, _ -> true);
    }

    private double rate(String name, Predicate<Sample> which) {
        return now.grown(before, name, which) / now.secondsSince(before);
    }
}
