package io.fairlead.metrics;

import static io.fairlead.metrics.MeterTag.word;

import io.fairlead.Context;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.Status;
import io.fairlead.TransportInfo;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatistics;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.PubSubStatistics;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.OperationKind;
import io.fairlead.statistics.Statistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one context as meters of any Micrometer registry: {@code FairleadMetrics.of(node).bindTo(registry)}. Immutable and
 * thread-safe.
 *
 * <p>Pulled, never pushed: the registry reads what the context counts anyway when somebody scrapes it, and the data path knows nothing
 * of it. {@link FairleadMeter} lists the meters. Their number depends on the transports that are installed, on
 * {@link #withTopics}, and on peers only up to {@code metrics.identities-max}.
 *
 * <p>A Prometheus registry gets the latency histograms with their buckets, also where it is part of a composite one; other registries get
 * count and sum. Registries that are added to a composite one later get everything but latencies: bind to those directly.
 * A registry keeps no context alive. Two contexts in one registry need different {@link #withTags tags}.
 */
public final class FairleadMetrics implements MeterBinder {
    private static final double SECOND_NS = 1e9;

    private final Context context;
    private final Tags tags;
    private final List<String> topics;

    private FairleadMetrics(Context context, Tags tags, List<String> topics) {
        this.context = context;
        this.tags = tags;
        this.topics = topics;
    }

    /**
     * The figures of a context.
     *
     * @param context open or closed
     * @return to be bound to a registry
     */
    public static FairleadMetrics of(Context context) {
        return new FairleadMetrics(Objects.requireNonNull(context, "context"), Tags.empty(), List.of());
    }

    /**
     * The figures of a node.
     *
     * @param node open or closed
     * @return to be bound to a registry
     */
    public static FairleadMetrics of(Node node) {
        return of(node.context());
    }

    /**
     * Adds tags to every meter.
     *
     * @param more such as {@code Tag.of("node", "cache-7")}; the same keys for every context of one registry
     * @return a copy
     */
    public FairleadMetrics withTags(Iterable<Tag> more) {
        return new FairleadMetrics(context, tags.and(more), topics);
    }

    /**
     * Shows topics apart, beside the sums over all topics. Few of them: each is a series of each meter with the tag {@code topic}.
     *
     * @param names of topics, open now or later
     * @return a copy
     */
    public FairleadMetrics withTopics(String... names) {
        return new FairleadMetrics(context, tags, List.of(names));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Binding binding = new Binding(registry, context.statistics());
        binding.operations();
        binding.queues();
        binding.memory(context.config().value(ConfigKeys.REGIONS_MAX));
        context.transports().forEach(binding::transport);
        binding.endpoints();
        binding.failures();
        binding.progress();
        binding.publishSubscribe(PubSubStatistics.of(context));
        binding.requests(RequestStatistics.of(context));
        DurationMeters.bind(registry, context.statistics(), tags);
        IdentityMeters.bind(registry, context.statistics(), tags);
        ServiceMeters.bind(registry, context, tags);
    }

    /** Null, and not empty, where there is none: an empty unit would leave its underscore in the name. */
    static @Nullable String unit(FairleadMeter meter) {
        return meter.unit() == FairleadMeter.Unit.NONE ? null : meter.unit().text();
    }

    /** The meters of one registry. The registry holds the objects that it reads weakly, and the functions capture none of them. */
    private final class Binding {
        private final MeterRegistry registry;
        private final Statistics statistics;

        Binding(MeterRegistry registry, Statistics statistics) {
            this.registry = registry;
            this.statistics = statistics;
        }

        void operations() {
            for (String transport : statistics.transports()) {
                for (OperationKind kind : DurationMeters.kinds(transport)) {
                    Tags with = Tags.of(MeterTag.TRANSPORT.key(), transport, MeterTag.OPERATION.key(), word(kind));
                    for (Status status : MeterTag.ends()) {
                        counter(
                                FairleadMeter.OPERATIONS,
                                with.and(MeterTag.STATUS.key(), word(status)),
                                s -> s.operations(transport, kind, status));
                    }
                    if (kind != OperationKind.ATOMIC && kind != OperationKind.FLUSH) {
                        counter(FairleadMeter.OPERATION_BYTES, with, s -> s.bytes(transport, kind));
                    }
                }
            }
        }

        void queues() {
            gauge(FairleadMeter.OPERATIONS_IN_FLIGHT, Counter.OPERATIONS_IN_FLIGHT);
            gauge(FairleadMeter.RECEIVES_POSTED, Counter.RECEIVES_POSTED);
            gauge(FairleadMeter.RECEIVES_POSTED_BYTES, Counter.RECEIVES_POSTED_BYTES);
            gauge(FairleadMeter.MESSAGES_WAITING, Counter.UNEXPECTED_NOW);
            gauge(FairleadMeter.MESSAGES_WAITING_BYTES, Counter.UNEXPECTED_BYTES);
            counter(FairleadMeter.MESSAGES_UNEXPECTED, Counter.UNEXPECTED_MESSAGES);
            counter(FairleadMeter.MESSAGES_UNHANDLED, Counter.MESSAGES_UNHANDLED);
            counter(FairleadMeter.MATCH_ATTEMPTS, Counter.MATCH_ATTEMPTS);
            gauge(FairleadMeter.CREDITS_OUTSTANDING, Counter.CREDITS_OUTSTANDING);
            gauge(FairleadMeter.CREDITS_LIMIT, Counter.CREDITS_LIMIT);
            counter(FairleadMeter.BACK_PRESSURE_EVENTS, Counter.BACK_PRESSURE_EVENTS);
            counter(FairleadMeter.BACK_PRESSURE_TIME, Tags.empty(), s -> s.value(Counter.BACK_PRESSURE_NS) / SECOND_NS);
        }

        void memory(int limit) {
            gauge(FairleadMeter.REGIONS, Counter.REGIONS);
            gauge(FairleadMeter.REGION_BYTES, Counter.REGION_BYTES);
            gauge(FairleadMeter.REGIONS_LIMIT, Tags.empty(), _ -> limit);
        }

        void transport(TransportInfo transport) {
            double available = transport.available() ? 1 : 0;
            gauge(
                    FairleadMeter.TRANSPORT_AVAILABLE,
                    Tags.of(MeterTag.TRANSPORT.key(), transport.name()),
                    _ -> available);
        }

        void endpoints() {
            counter(FairleadMeter.CONNECTS, Counter.ENDPOINTS_CONNECTED);
            counter(FairleadMeter.RECONNECTS, Counter.RECONNECTS);
            counter(FairleadMeter.FAILOVERS, Counter.FAILOVERS);
            counter(FairleadMeter.FAILOVER_FAILURES, Counter.FAILOVERS_FAILED);
            counter(FairleadMeter.FAILOVER_REPLAYED, Counter.FAILOVER_BYTES);
            counter(FairleadMeter.FAILBACKS, Counter.FAILBACKS);
            counter(FairleadMeter.CLOSES, Counter.ENDPOINTS_CLOSED);
            for (String transport : statistics.transports()) {
                Tags with = Tags.of(MeterTag.TRANSPORT.key(), transport);
                for (var state : MeterTag.live()) {
                    gauge(
                            FairleadMeter.ENDPOINTS,
                            with.and(MeterTag.STATE.key(), word(state)),
                            s -> s.endpoints(transport, state));
                }
                if (transport.equals(Statistics.NO_TRANSPORT)) {
                    continue;
                }
                for (PathClass path : PathClass.values()) {
                    for (PathCause cause : PathCause.values()) {
                        gauge(
                                FairleadMeter.PATHS,
                                with.and(MeterTag.PATH.key(), word(path), MeterTag.REASON.key(), word(cause)),
                                s -> s.paths(transport, path, cause));
                    }
                }
            }
        }

        void failures() {
            for (Reason cause : Reason.values()) {
                Tags with = Tags.of(MeterTag.CAUSE.key(), word(cause));
                counter(FairleadMeter.REFUSALS, with, s -> s.refusals(cause));
                counter(FairleadMeter.CONNECT_FAILURES, with, s -> s.connectFailures(cause));
                counter(FairleadMeter.PEER_FAILURES, with, s -> s.peerFailures(cause));
                counter(FairleadMeter.PEER_FAILURE_DETECTION, with, s -> s.detectionNs(cause) / SECOND_NS);
            }
        }

        void progress() {
            gauge(FairleadMeter.WORKERS, Counter.WORKERS);
            counter(FairleadMeter.PROGRESS_CALLS, Counter.PROGRESS_CALLS);
            counter(FairleadMeter.PROGRESS_IDLE, Counter.PROGRESS_IDLE);
            gauge(FairleadMeter.PROGRESS_GAP, Tags.empty(), s -> s.value(Counter.PROGRESS_GAP_NS) / SECOND_NS);
            gauge(FairleadMeter.PROGRESS_STALL, Tags.empty(), s -> s.value(Counter.PROGRESS_STALL_NS) / SECOND_NS);
        }

        void publishSubscribe(PubSubStatistics topicFigures) {
            counter(FairleadMeter.PUBLISHED, topicFigures, PubSubCounter.PUBLISHED);
            counter(FairleadMeter.PUBLISHED_BYTES, topicFigures, PubSubCounter.BYTES_PUBLISHED);
            counter(FairleadMeter.BATCHES_SENT, topicFigures, PubSubCounter.BATCHES_SENT);
            counter(FairleadMeter.BATCHES_IN_PLACE, topicFigures, PubSubCounter.BATCHES_IN_PLACE);
            counter(FairleadMeter.PUBLISH_BACK_PRESSURE, topicFigures, PubSubCounter.BACK_PRESSURE_EVENTS);
            counter(FairleadMeter.DROPPED, topicFigures, PubSubCounter.MESSAGES_DROPPED);
            counter(FairleadMeter.SLOW_DISCONNECTED, topicFigures, PubSubCounter.SLOW_DISCONNECTED);
            counter(FairleadMeter.DELIVERED, topicFigures, PubSubCounter.DELIVERED);
            counter(FairleadMeter.DELIVERED_BYTES, topicFigures, PubSubCounter.BYTES_DELIVERED);
            counter(FairleadMeter.GAPS, topicFigures, PubSubCounter.GAPS);
            counter(FairleadMeter.MISSED, topicFigures, PubSubCounter.MISSED);
            counter(FairleadMeter.REJOINS, topicFigures, PubSubCounter.REJOINS);
            gauge(FairleadMeter.TOPICS, topicFigures, PubSubCounter.TOPICS);
            gauge(FairleadMeter.SUBSCRIBERS, topicFigures, PubSubCounter.SUBSCRIBERS);
            gauge(FairleadMeter.SUBSCRIPTIONS, topicFigures, PubSubCounter.SUBSCRIPTIONS);
            gauge(FairleadMeter.LAG, topicFigures, PubSubCounter.LAG);
            gauge(FairleadMeter.LAG_MAX, topicFigures, PubSubCounter.LAG_MAX);
            for (String topic : topics) {
                Tags with = Tags.of(MeterTag.TOPIC.key(), topic);
                counter(
                        FairleadMeter.TOPIC_PUBLISHED,
                        with,
                        topicFigures,
                        s -> s.value(PubSubCounter.PUBLISHED, topic));
                counter(
                        FairleadMeter.TOPIC_DELIVERED,
                        with,
                        topicFigures,
                        s -> s.value(PubSubCounter.DELIVERED, topic));
                gauge(FairleadMeter.TOPIC_LAG, with, topicFigures, s -> s.value(PubSubCounter.LAG_MAX, topic));
            }
        }

        void requests(RequestStatistics figures) {
            counter(FairleadMeter.REQUESTS_SENT, figures, RequestCounter.SENT);
            counter(FairleadMeter.REQUESTS_SUCCEEDED, figures, RequestCounter.SUCCEEDED);
            counter(FairleadMeter.REQUESTS_FAILED, figures, RequestCounter.FAILED);
            gauge(FairleadMeter.REQUESTS_OUTSTANDING, figures, RequestCounter.OUTSTANDING_NOW);
            counter(FairleadMeter.REPLIES_LATE, figures, RequestCounter.LATE_REPLIES);
            counter(FairleadMeter.REQUESTS_RECEIVED, figures, RequestCounter.RECEIVED);
            counter(FairleadMeter.REQUESTS_REPLIED, figures, RequestCounter.REPLIED);
            counter(FairleadMeter.REQUESTS_REFUSED, figures, RequestCounter.REFUSED);
            counter(FairleadMeter.ANSWERS_DROPPED, figures, RequestCounter.ANSWERS_DROPPED);
            gauge(FairleadMeter.REQUESTS_SERVED_NOW, figures, RequestCounter.SERVED_NOW);
        }

        private void counter(FairleadMeter meter, Counter counter) {
            counter(meter, Tags.empty(), s -> s.value(counter));
        }

        private void counter(FairleadMeter meter, Tags with, ToDoubleFunction<Statistics> value) {
            counter(meter, with, statistics, value);
        }

        private void counter(FairleadMeter meter, PubSubStatistics topicFigures, PubSubCounter counter) {
            counter(meter, Tags.empty(), topicFigures, s -> s.value(counter));
        }

        private void counter(FairleadMeter meter, RequestStatistics figures, RequestCounter counter) {
            counter(meter, Tags.empty(), figures, s -> s.value(counter));
        }

        private <T> void counter(FairleadMeter meter, Tags with, T source, ToDoubleFunction<T> value) {
            FunctionCounter.builder(meter.meterName(), source, value)
                    .description(meter.description())
                    .baseUnit(unit(meter))
                    .tags(tags.and(with))
                    .register(registry);
        }

        private void gauge(FairleadMeter meter, Counter counter) {
            gauge(meter, Tags.empty(), s -> s.value(counter));
        }

        private void gauge(FairleadMeter meter, Tags with, ToDoubleFunction<Statistics> value) {
            gauge(meter, with, statistics, value);
        }

        private void gauge(FairleadMeter meter, PubSubStatistics topicFigures, PubSubCounter counter) {
            gauge(meter, Tags.empty(), topicFigures, s -> s.value(counter));
        }

        private void gauge(FairleadMeter meter, RequestStatistics figures, RequestCounter counter) {
            gauge(meter, Tags.empty(), figures, s -> s.value(counter));
        }

        private <T> void gauge(FairleadMeter meter, Tags with, T source, ToDoubleFunction<T> value) {
            Gauge.builder(meter.meterName(), source, value)
                    .description(meter.description())
                    .baseUnit(unit(meter))
                    .tags(tags.and(with))
                    .register(registry);
        }
    }
}
