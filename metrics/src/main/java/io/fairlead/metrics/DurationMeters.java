package io.fairlead.metrics;

import static io.fairlead.metrics.MeterTag.word;

import io.fairlead.statistics.DurationHistogram;
import io.fairlead.statistics.OperationKind;
import io.fairlead.statistics.Statistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.noop.NoopMeter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Durations, which Micrometer has no pulled meter for: of a Prometheus registry the buckets go to its collector, of others count and
 * sum to a function timer.
 *
 * <p>Beside each goes a counter of how many were taken. It is an ordinary meter, so that the registry's filters apply to it; what they make of its
 * tags the histogram takes over, and where they deny it there is no histogram either.
 */
final class DurationMeters {
    private DurationMeters() {}

    /**
     * One series.
     *
     * @param histogram its meter
     * @param count the meter that counts it
     * @param tags the tags of both meters
     * @param value reads it
     */
    record Series(
            FairleadMeter histogram, FairleadMeter count, Tags tags, Function<Statistics, DurationHistogram> value) {}

    static void bind(MeterRegistry registry, Statistics statistics, Tags common) {
        bind(registry, statistics, series(statistics, common));
    }

    /** What operations of a transport can be; without one there are receives from any source, which were withdrawn. */
    static Set<OperationKind> kinds(String transport) {
        return transport.equals(Statistics.NO_TRANSPORT)
                ? EnumSet.of(OperationKind.RECEIVE)
                : EnumSet.allOf(OperationKind.class);
    }

    private static List<Series> series(Statistics statistics, Tags common) {
        List<Series> all = new ArrayList<>();
        for (String transport : statistics.transports()) {
            if (transport.equals(Statistics.NO_TRANSPORT)) {
                continue;
            }
            Tags with = common.and(MeterTag.TRANSPORT.key(), transport);
            for (OperationKind kind : OperationKind.values()) {
                all.add(new Series(
                        FairleadMeter.OPERATION_LATENCY,
                        FairleadMeter.OPERATIONS_TIMED,
                        with.and(MeterTag.OPERATION.key(), word(kind)),
                        s -> s.latency(transport, kind)));
            }
            all.add(new Series(
                    FairleadMeter.CONTROL_ROUND_TRIP,
                    FairleadMeter.CONTROL_ANSWERS,
                    with,
                    s -> s.controlRoundTrip(transport)));
        }
        return all;
    }

    /** Binds series here and, with the tags that this registry's filters made, in the registries that this one is made of. */
    static void bind(MeterRegistry registry, Statistics statistics, List<Series> all) {
        List<Series> accepted = new ArrayList<>();
        for (Series series : all) {
            FunctionCounter counter = FunctionCounter.builder(
                            series.count().meterName(),
                            statistics,
                            s -> series.value().apply(s).count())
                    .description(series.count().description())
                    .tags(series.tags())
                    .register(registry);
            if (!(counter instanceof NoopMeter)) {
                Tags mapped = Tags.of(counter.getId().getTags());
                accepted.add(new Series(series.histogram(), series.count(), mapped, series.value()));
            }
        }
        switch (registry) {
            case CompositeMeterRegistry composite ->
                composite.getRegistries().forEach(part -> bind(part, statistics, accepted));
            case PrometheusMeterRegistry prometheus -> PrometheusHistograms.register(prometheus, statistics, accepted);
            default -> accepted.forEach(series -> timer(registry, statistics, series));
        }
    }

    private static Meter timer(MeterRegistry registry, Statistics statistics, Series series) {
        return FunctionTimer.builder(
                        series.histogram().meterName(),
                        statistics,
                        s -> series.value().apply(s).count(),
                        s -> series.value().apply(s).sumNs(),
                        TimeUnit.NANOSECONDS)
                .description(series.histogram().description())
                .tags(series.tags())
                .register(registry);
    }
}
