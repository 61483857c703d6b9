package io.fairlead.metrics;

import io.fairlead.FairleadException;
import io.fairlead.Node;
import io.fairlead.NodeObserver;
import io.fairlead.OperationKind;
import io.fairlead.Peer;
import io.fairlead.Status;
import io.fairlead.pubsub.Topic;
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
import org.jspecify.annotations.Nullable;

/**
 * A node's operations as Micrometer observations, of which an application's registry makes timers, spans or both:
 * {@code node.observe(FairleadObservations.of(registry))}. Thread-safe.
 *
 * <p>Each send, receive, put, get, atomic and flush is one observation, from the call to the end, whose parent is the observation
 * that is current where it was called. It costs what the registry's handlers cost; a node that nobody observes pays nothing. What a trace
 * knows is not carried to the peer: its side of an exchange begins a trace of its own.
 */
public final class FairleadObservations implements NodeObserver {
    private static final Running NOTHING = _ -> {};
    private static final KeyValue OK = KeyValue.of("fairlead.outcome", "ok");
    private static final Map<OperationKind, OperationConvention> CONVENTIONS = conventions();

    private final ObservationRegistry registry;

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
        return failure -> {
            failure.ifPresent(observation::error);
            observation.stop();
        };
    }

    /**
     * A topic whose every publish is an observation of its own, {@code fairlead.publish}. For topics of tens of messages a second: for
     * more, the metrics tell as much and cost less.
     *
     * @param topic what to observe
     * @return the same topic; belongs to the thread that the topic belongs to
     */
    public Topic observe(Topic topic) {
        return new ObservedTopic(Objects.requireNonNull(topic, "topic"), registry);
    }

    private static Map<OperationKind, OperationConvention> conventions() {
        Map<OperationKind, OperationConvention> conventions = new EnumMap<>(OperationKind.class);
        for (OperationKind operation : OperationKind.values()) {
            conventions.put(operation, new OperationConvention("fairlead." + word(operation)));
        }
        return conventions;
    }

    /** Names and key values where an application has no convention of its own. */
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
