package io.fairlead.metrics;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.node.ServiceRequest;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Topic;
import io.fairlead.statistics.OperationKind;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's operations as Micrometer observations, of which an application's registry makes timers, spans or both:
 * {@code node.observe(FairleadObservations.of(registry))}. Thread-safe.
 *
 * <p>Each send, receive, put, get, atomic and flush is one observation, from the call to the end, whose parent is the observation
 * that is current where it was called. It costs what the registry's handlers cost; a node that nobody observes pays nothing.
 *
 * <p>Where a tracer is among the handlers, what it propagates travels with sends and publishes. At the receiver the message is observed as
 * {@code fairlead.deliver}, which continues the sender's trace and is current while the future's callbacks or the handler run.
 *
 * <p>A request is {@code fairlead.request} at its caller, and the call of its handler {@code fairlead.handle}, with the keys {@code rpc.system},
 * {@code rpc.service}, {@code rpc.method} and, at the caller, {@code rpc.response.status_code}. A service of a number has its number as {@code rpc.service}.
 *
 * <p>What the registry's handlers throw is logged and keeps nothing from being done that they observe.
 */
public final class FairleadObservations implements NodeObserver {
    static final String DELIVER = "fairlead.deliver";
    private static final String PROCESS = "fairlead.process";
    private static final Logger LOG = LoggerFactory.getLogger(FairleadObservations.class);
    private static final Running NOTHING = _ -> {};
    private static final KeyValue OK = KeyValue.of("fairlead.outcome", "ok");
    private static final Map<OperationKind, OperationConvention> CONVENTIONS = conventions();

    private final ObservationRegistry registry;
    private final LongAdder contextsDropped = new LongAdder();

    private FairleadObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /**
     * Observations of a registry.
     *
     * @param registry where handlers are registered, and an {@link ObservationConvention} for {@link OperationObservation} if the
     *     names and key values here are not wanted
     * @return for {@link Node#observe}
     */
    public static FairleadObservations of(ObservationRegistry registry) {
        return new FairleadObservations(Objects.requireNonNull(registry, "registry"));
    }

    @Override
    public Running started(OperationKind operation, Optional<Peer> peer, long length) {
        if (registry.isNoop()) {
            return NOTHING;
        }
        OperationObservation context = new OperationObservation(operation, peer, length);
        Observation observation =
                Observation.start(Objects.requireNonNull(CONVENTIONS.get(operation)), () -> context, registry);
        return new Observed(this, observation, carried(Objects.requireNonNull(context.getCarrier())));
    }

    @Override
    public Running requested(String service, Peer peer, long length) {
        if (registry.isNoop()) {
            return NOTHING;
        }
        RequestObservation context = new RequestObservation(service, peer, length);
        Observation observation = Observation.start(RpcKeys.CALLER, () -> context, registry);
        return new Observed(this, observation, carried(Objects.requireNonNull(context.getCarrier())));
    }

    @Override
    public void handled(String service, ServiceRequest request, Runnable handler) {
        GuardedObservation.start(() -> Observation.createNotStarted(
                        RpcKeys.SERVICE, () -> new HandlingObservation(service, request), registry))
                .around(handler);
    }

    /** An operation from its call to its end. */
    private record Observed(FairleadObservations observations, Observation observation, MessageContext context)
            implements Running {
        @Override
        public void ended(Optional<Throwable> failure) {
            failure.ifPresent(observation::error);
            observation.stop();
        }

        @Override
        public void deliver(Message message, Runnable completion) {
            GuardedObservation.start(() -> observations.delivery(
                            DELIVER, message.context(), message.source().name(), message.length()))
                    .around(completion);
        }
    }

    /** What handlers want to be carried, if it can be. */
    MessageContext carried(Map<String, String> entries) {
        try {
            return MessageContext.of(entries);
        } catch (IllegalArgumentException tooMuch) {
            contextsDropped.increment();
            if (contextsDropped.sum() == 1) {
                LOG.warn(
                        "a trace does not go with its message, and others like it from now on: {}",
                        tooMuch.getMessage());
            }
            return MessageContext.EMPTY;
        }
    }

    /**
     * Messages that went without their trace, because it exceeds what {@link MessageContext} takes. The first is logged.
     *
     * @return a count
     */
    public long contextsDropped() {
        return contextsDropped.sum();
    }

    /**
     * An observation for the work on a message, for where it is not done by a callback of the receive's future:
     * {@code observations.process(message).observe(() -> ...)}. Continues the trace that the message has brought, or begins one.
     *
     * @param message a received message
     * @return {@code fairlead.process}, not started
     */
    public Observation process(Message message) {
        return delivery(PROCESS, message.context(), message.source().name(), message.length());
    }

    Observation delivery(String name, MessageContext brought, String source, long length) {
        return Observation.createNotStarted(name, () -> new DeliveryObservation(brought, source, length), registry)
                .contextualName(name.substring(name.lastIndexOf('.') + 1) + " " + source)
                .highCardinalityKeyValue("fairlead.source", source)
                .highCardinalityKeyValue("fairlead.length", Long.toString(length));
    }

    /**
     * A handler whose work on each message with a trace is a separate observation, {@code fairlead.deliver}, in that trace.
     *
     * @param handler what to observe
     * @return for {@link Subscriber#subscribe}
     */
    public MessageHandler observe(MessageHandler handler) {
        return new ObservedHandler(Objects.requireNonNull(handler, "handler"), this);
    }

    /**
     * A topic whose every publish is a separate observation, {@code fairlead.publish}. For topics of tens of messages a second: at
     * higher rates the metrics report as much and cost less.
     *
     * @param topic what to observe
     * @return the same topic; belongs to the thread that the topic belongs to
     */
    public Topic observe(Topic topic) {
        return new ObservedTopic(Objects.requireNonNull(topic, "topic"), registry, this);
    }

    private static Map<OperationKind, OperationConvention> conventions() {
        Map<OperationKind, OperationConvention> conventions = new EnumMap<>(OperationKind.class);
        for (OperationKind operation : OperationKind.values()) {
            conventions.put(operation, new OperationConvention("fairlead." + word(operation)));
        }
        return conventions;
    }

    /** Names and key values where an application sets no convention. */
    private record OperationConvention(String name) implements ObservationConvention<OperationObservation> {
        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof OperationObservation;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public String getContextualName(OperationObservation context) {
            return word(context.operation())
                    + context.peer().map(peer -> " " + peer.name()).orElse("");
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(OperationObservation context) {
            return KeyValues.of(
                    KeyValue.of("fairlead.operation", word(context.operation())),
                    KeyValue.of(
                            "fairlead.transport",
                            context.peer().map(peer -> peer.path().transport()).orElse("any")),
                    outcome(context.getError()));
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(OperationObservation context) {
            return KeyValues.of(
                    KeyValue.of("fairlead.peer", context.peer().map(Peer::name).orElse("any")),
                    KeyValue.of("fairlead.length", Long.toString(context.length())));
        }
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** One of a closed set: ok, a status, cancelled, or error for what is a mistake of the caller's. */
    private static KeyValue outcome(@Nullable Throwable error) {
        return switch (error) {
            case null -> OK;
            case FairleadException known ->
                KeyValue.of(
                        "fairlead.outcome",
                        known.status().map(FairleadObservations::word).orElse(word(known.reason())));
            case CancellationException _ -> KeyValue.of("fairlead.outcome", word(Status.CANCELLED));
            default -> KeyValue.of("fairlead.outcome", "error");
        };
    }
}
