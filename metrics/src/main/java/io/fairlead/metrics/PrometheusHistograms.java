package io.fairlead.metrics;

import io.fairlead.statistics.DurationHistogram;
import io.fairlead.statistics.Statistics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricFamilyDescriptor;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Function;

/**
 * A histogram of one Prometheus registry, with the buckets as they are counted. A series is shown once something was counted in it.
 * Each data point can hold exemplars; Fairlead records none.
 *
 * <p>A registry takes one collector of a name, so that all contexts that are bound to it share this one.
 */
final class PrometheusHistograms implements Collector {
    private static final double SECOND_NS = 1e9;
    private static final List<Double> BOUNDS = bounds();

    /** The histograms of each registry, for the registry's lifetime. */
    private static final Map<PrometheusRegistry, Map<FairleadMeter, PrometheusHistograms>> REGISTERED =
            new WeakHashMap<>();

    /** Weak, as a registry's hold on what its own meters read is. */
    private record Source(WeakReference<Statistics> statistics, Function<Statistics, DurationHistogram> value) {}

    private final FairleadMeter meter;
    private final Map<Labels, Source> sources = new LinkedHashMap<>();

    private PrometheusHistograms(FairleadMeter meter) {
        this.meter = meter;
    }

    static void register(PrometheusMeterRegistry registry, Statistics statistics, List<DurationMeters.Series> all) {
        NamingConvention convention = registry.config().namingConvention();
        WeakReference<Statistics> weak = new WeakReference<>(statistics);
        for (DurationMeters.Series series : all) {
            of(registry.getPrometheusRegistry(), series.histogram())
                    .add(labels(series, convention), new Source(weak, series.value()));
        }
    }

    private static PrometheusHistograms of(PrometheusRegistry registry, FairleadMeter meter) {
        synchronized (REGISTERED) {
            return REGISTERED
                    .computeIfAbsent(registry, _ -> new EnumMap<>(FairleadMeter.class))
                    .computeIfAbsent(meter, _ -> {
                        PrometheusHistograms histograms = new PrometheusHistograms(meter);
                        registry.register(histograms);
                        return histograms;
                    });
        }
    }

    private static Labels labels(DurationMeters.Series series, NamingConvention convention) {
        Meter.Id id = new Meter.Id(series.histogram().meterName(), series.tags(), "seconds", "", Meter.Type.TIMER);
        List<Tag> tags = id.getConventionTags(convention);
        return Labels.of(
                tags.stream().map(Tag::getKey).toArray(String[]::new),
                tags.stream().map(Tag::getValue).toArray(String[]::new));
    }

    private static List<Double> bounds() {
        List<Double> bounds = new ArrayList<>();
        for (int bucket = 0; bucket < DurationHistogram.BUCKETS - 1; bucket++) {
            bounds.add(DurationHistogram.boundNs(bucket) / SECOND_NS);
        }
        bounds.add(Double.POSITIVE_INFINITY);
        return List.copyOf(bounds);
    }

    /** The first of two with the same labels stays, as with the registry's own meters. */
    private synchronized void add(Labels labels, Source source) {
        sources.values().removeIf(old -> old.statistics().get() == null);
        sources.putIfAbsent(labels, source);
    }

    @Override
    public synchronized MetricSnapshot collect() {
        HistogramSnapshot.Builder snapshot = HistogramSnapshot.builder()
                .name(meter.prometheusName())
                .unit(Unit.SECONDS)
                .help(meter.description());
        sources.forEach((labels, source) -> {
            Statistics statistics = source.statistics().get();
            if (statistics != null) {
                DurationHistogram durations = source.value().apply(statistics);
                if (durations.count() > 0) {
                    snapshot.dataPoint(point(labels, durations));
                }
            }
        });
        return snapshot.build();
    }

    private static HistogramDataPointSnapshot point(Labels labels, DurationHistogram durations) {
        List<Long> counts = new ArrayList<>(DurationHistogram.BUCKETS);
        for (int bucket = 0; bucket < DurationHistogram.BUCKETS; bucket++) {
            counts.add(durations.count(bucket));
        }
        HistogramDataPointSnapshot.Builder point = HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, counts));
        point.sum(durations.sumNs() / SECOND_NS);
        return point.build();
    }

    /** Without names of labels, because each context has its own tags. */
    @Override
    public MetricFamilyDescriptor getMetricFamilyDescriptor() {
        return MetricFamilyDescriptor.histogram(meter.prometheusName())
                .help(meter.description())
                .unit(Unit.SECONDS)
                .build();
    }
}
