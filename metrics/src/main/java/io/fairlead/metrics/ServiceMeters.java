package io.fairlead.metrics;

import static io.fairlead.metrics.MeterTag.word;

import io.fairlead.Context;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceStatistics;
import io.fairlead.statistics.Statistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The meters of services by name. Services start, and others are asked, while the registry is in use. Reading the number of services binds meters for the
 * new ones, which appear at the next scrape. The statistics bound their number, and keep no context alive. Thread-safe.
 */
final class ServiceMeters {
    private final MeterRegistry registry;
    private final Statistics statistics;
    private final Tags common;
    private final Set<String> bound = new HashSet<>();

    private ServiceMeters(MeterRegistry registry, Statistics statistics, Tags common) {
        this.registry = registry;
        this.statistics = statistics;
        this.common = common;
    }

    static void bind(MeterRegistry registry, Context context, Tags common) {
        ServiceMeters meters = new ServiceMeters(registry, context.statistics(), common);
        RequestStatistics requests = RequestStatistics.of(context);
        meters.bindNew(requests);
        Gauge.builder(FairleadMeter.SERVICES.meterName(), requests, meters::bindNew)
                .description(FairleadMeter.SERVICES.description())
                .tags(common)
                .register(registry);
    }

    /** How many services there are, each with its meters. */
    private synchronized int bindNew(RequestStatistics requests) {
        for (ServiceStatistics service : requests.services()) {
            if (bound.add(service.side() + " " + service.service())) {
                bind(service);
            }
        }
        return bound.size();
    }

    private void bind(ServiceStatistics service) {
        Tags tags = common.and(MeterTag.SERVICE.key(), service.service(), MeterTag.SIDE.key(), word(service.side()));
        for (RequestStatus status : RequestStatus.values()) {
            FunctionCounter.builder(FairleadMeter.SERVICE_REQUESTS.meterName(), service, s -> s.count(status))
                    .description(FairleadMeter.SERVICE_REQUESTS.description())
                    .tags(tags.and(MeterTag.OUTCOME.key(), word(status)))
                    .register(registry);
        }
        List<DurationMeters.Series> durations = new ArrayList<>();
        durations.add(new DurationMeters.Series(
                FairleadMeter.SERVICE_DURATION, FairleadMeter.SERVICE_TIMED, tags, _ -> service.duration()));
        if (service.side() == ServiceStatistics.Side.SERVICE) {
            durations.add(new DurationMeters.Series(
                    FairleadMeter.SERVICE_WAITING, FairleadMeter.SERVICE_BEGUN, tags, _ -> service.waiting()));
        }
        DurationMeters.bind(registry, statistics, durations);
    }
}
