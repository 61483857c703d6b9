package io.fairlead.metrics;

import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Statistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * The meters of peers by identity. New peers connect while the registry is in use. Reading the number of identities binds meters for the
 * new ones, which appear at the next scrape. The statistics bound their number. Thread-safe.
 */
final class IdentityMeters {
    private final MeterRegistry registry;
    private final Tags common;
    private final Set<String> bound = new HashSet<>();

    private IdentityMeters(MeterRegistry registry, Tags common) {
        this.registry = registry;
        this.common = common;
    }

    static void bind(MeterRegistry registry, Statistics statistics, Tags common) {
        IdentityMeters meters = new IdentityMeters(registry, common);
        meters.bindNew(statistics);
        meters.gauge(FairleadMeter.IDENTITIES, common, statistics, meters::bindNew);
    }

    /** How many identities there are, each with its meters. */
    private synchronized int bindNew(Statistics statistics) {
        for (String identity : statistics.identities()) {
            if (bound.add(identity)) {
                bind(statistics, identity);
            }
        }
        return bound.size();
    }

    private void bind(Statistics statistics, String identity) {
        Tags tags = common.and(MeterTag.PEER_IDENTITY.key(), identity);
        gauge(FairleadMeter.IDENTITY_ENDPOINTS, tags, statistics, s -> s.connectedEndpoints(identity));
        counter(FairleadMeter.IDENTITY_CONNECTS, tags, statistics, s -> s.value(Counter.ENDPOINTS_CONNECTED, identity));
        counter(
                FairleadMeter.IDENTITY_SENT,
                tags,
                statistics,
                s -> s.value(Counter.BYTES_SENT, identity) + s.value(Counter.BYTES_PUT, identity));
        counter(
                FairleadMeter.IDENTITY_RECEIVED,
                tags,
                statistics,
                s -> s.value(Counter.BYTES_RECEIVED, identity) + s.value(Counter.BYTES_GOT, identity));
    }

    private void gauge(FairleadMeter meter, Tags tags, Statistics statistics, ToDoubleFunction<Statistics> value) {
        Gauge.builder(meter.meterName(), statistics, value)
                .description(meter.description())
                .tags(tags)
                .register(registry);
    }

    private void counter(FairleadMeter meter, Tags tags, Statistics statistics, ToDoubleFunction<Statistics> value) {
        FunctionCounter.builder(meter.meterName(), statistics, value)
                .description(meter.description())
                .baseUnit(FairleadMetrics.unit(meter))
                .tags(tags)
                .register(registry);
    }
}
