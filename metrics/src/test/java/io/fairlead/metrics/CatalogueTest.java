package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is exposed, what the catalogue says and what docs/metrics.md says are one. */
@Timeout(120)
final class CatalogueTest {
    private static final Path DOCUMENT = RepositoryRoot.path().resolve("docs/metrics.md");

    @Test
    void shouldExposeToPrometheusExactlyWhatTheCatalogueLists() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Bench bench = new Bench()) {
            FairleadMetrics.of(bench.client).withTopics("prices").bindTo(registry);
            try (MetricsServer server = MetricsServer.builder(registry)
                    .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .start()) {
                bench.useEverything(bench.connect());
                bench.publish("prices", 3);
                assertTrue(server.address().getPort() > 0);
            }
            Exposition scraped = Exposition.of(registry);

            Map<String, String> types = new TreeMap<>();
            Map<String, String> helps = new TreeMap<>();
            for (FairleadMeter meter : FairleadMeter.values()) {
                if (meter.tags().contains(MeterTag.SERVICE)) {
                    // This context has no node: ServiceMetersTest has one.
                    continue;
                }
                types.put(meter.prometheusName(), meter.type().name().toLowerCase(Locale.ROOT));
                helps.put(meter.prometheusName(), meter.description());
            }
            // No ping was due in the short life of these endpoints, and a histogram without data is not written.
            types.remove(FairleadMeter.CONTROL_ROUND_TRIP.prometheusName());
            helps.remove(FairleadMeter.CONTROL_ROUND_TRIP.prometheusName());
            scraped.types.remove(FairleadMeter.CONTROL_ROUND_TRIP.prometheusName());
            scraped.helps.remove(FairleadMeter.CONTROL_ROUND_TRIP.prometheusName());
            assertEquals(types, new TreeMap<>(scraped.types));
            assertEquals(helps, new TreeMap<>(scraped.helps));
            scraped.samples.forEach(CatalogueTest::assertTagsOf);
        }
    }

    private static void assertTagsOf(Exposition.Sample sample) {
        FairleadMeter meter = Arrays.stream(FairleadMeter.values())
                .filter(candidate -> sample.name().equals(candidate.prometheusName())
                        || (candidate.type() == FairleadMeter.Type.HISTOGRAM
                                && sample.name().matches(candidate.prometheusName() + "_(bucket|count|sum)")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("not in the catalogue: " + sample));
        Set<String> keys = new TreeSet<>(sample.labels().keySet());
        keys.remove("le");
        assertEquals(
                meter.tags().stream().map(MeterTag::key).collect(Collectors.toCollection(TreeSet::new)),
                keys,
                sample::toString);
        for (MeterTag tag : meter.tags()) {
            assertTrue(
                    tag.choices().isEmpty()
                            || tag.choices().contains(sample.labels().get(tag.key())),
                    () -> sample + " has a value of " + tag.key() + " that is none of " + tag.choices());
        }
    }

    @Test
    void shouldNameMetersOfOtherRegistriesAsTheCatalogueDoes() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Bench bench = new Bench()) {
            FairleadMetrics.of(bench.client).withTopics("prices").bindTo(registry);
            Set<String> expected = Arrays.stream(FairleadMeter.values())
                    .filter(meter -> meter != FairleadMeter.SCRAPES_DROPPED
                            && !meter.tags().contains(MeterTag.SERVICE))
                    .map(FairleadMeter::meterName)
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(
                    expected,
                    registry.getMeters().stream()
                            .map(meter -> meter.getId().getName())
                            .collect(Collectors.toCollection(TreeSet::new)));
            for (Meter meter : registry.getMeters()) {
                FairleadMeter listed = Arrays.stream(FairleadMeter.values())
                        .filter(candidate ->
                                candidate.meterName().equals(meter.getId().getName()))
                        .findFirst()
                        .orElseThrow();
                assertEquals(listed.description(), meter.getId().getDescription());
                Set<String> keys = new TreeSet<>();
                meter.getId().getTags().forEach(tag -> keys.add(tag.getKey()));
                assertEquals(
                        listed.tags().stream().map(MeterTag::key).collect(Collectors.toCollection(TreeSet::new)), keys);
            }
        }
    }

    @Test
    void shouldDescribeEachMeterOnceInWords() {
        Set<String> names = new TreeSet<>();
        for (FairleadMeter meter : FairleadMeter.values()) {
            assertTrue(names.add(meter.meterName()), () -> "two meters are named " + meter.meterName());
            assertTrue(meter.meterName().matches("fairlead(\\.[a-z]+)+"), meter::meterName);
            assertTrue(meter.description().endsWith("."), meter::description);
        }
    }

    @Test
    void shouldBeWhatTheDocumentSays() throws IOException {
        String expected = document();
        if ("rewrite".equals(System.getProperty("fairlead.metrics"))) {
            Files.writeString(DOCUMENT, expected);
        }
        String actual = Files.exists(DOCUMENT) ? Files.readString(DOCUMENT) : "";
        assertEquals(
                expected,
                actual,
                "docs/metrics.md is not what the catalogue says; run with -Dfairlead.metrics=rewrite");
    }

    private static String document() {
        StringBuilder text = new StringBuilder("""
                # Metrics

                Generated from `FairleadMeter` by `./fairlead test metrics CatalogueTest -Dfairlead.metrics=rewrite`.

                With a Micrometer registry, add `fairlead-metrics` and one line:

                    FairleadMetrics.of(node).bindTo(registry);

                Without one, Fairlead serves its metrics on `metrics.port`:

                    Optional<MetricsServer> server = MetricsServer.start(node.context());

                Commands of `fairlead` that open a context have the option `--metrics-port`. `/metrics` answers in Prometheus' text format, or
                in OpenMetrics if the `Accept` header asks for it. `/health` answers 503 while progress is stalled for longer than
                `liveness.timeout`, `/ready` while no worker is open. The server listens on 127.0.0.1 unless `metrics.address` is set.
                Beyond loopback it requires [authentication](security.md#metrics-and-health).

                Values are read at each scrape. Counters start at zero with the context, those of a topic with the topic, and never
                decrease. The number of series is bounded: messages create none, identities of peers at most `metrics.identities-max`.

                ## Meters

                The second name is Prometheus'. A histogram has the series `_bucket`, `_count` and `_sum`; bounds of buckets grow by
                factors of 1.33 to 1.5, from 64 ns to 17 s. Other registries have count and sum.
                """);
        for (FairleadMeter meter : FairleadMeter.values()) {
            text.append("\n### ").append(meter.meterName()).append("\n\n");
            text.append('`').append(meter.prometheusName()).append("`, ").append(word(meter.type()));
            if (meter.unit() != FairleadMeter.Unit.NONE) {
                text.append(" in ").append(meter.unit().text());
            }
            if (!meter.tags().isEmpty()) {
                text.append(meter.tags().stream()
                        .map(tag -> "`" + tag.key() + "`")
                        .collect(Collectors.joining(", ", " by ", "")));
            }
            text.append(".\n").append(meter.description()).append('\n');
        }
        text.append("\n## Tags\n\n| tag | meaning | values |\n|---|---|---|\n");
        for (MeterTag tag : MeterTag.values()) {
            List<String> choices = tag.choices();
            text.append("| `")
                    .append(tag.key())
                    .append("` | ")
                    .append(tag.description())
                    .append(" | ");
            text.append(choices.isEmpty() ? "" : String.join(", ", choices)).append(" |\n");
        }
        return text.toString();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
