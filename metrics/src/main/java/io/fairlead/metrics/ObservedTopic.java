package io.fairlead.metrics;

import io.fairlead.Status;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.SenderContext;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** A topic, and an observation around each publish, whose trace goes with the message. */
final class ObservedTopic implements Topic {
    private static final String NAME = "fairlead.publish";

    private final Topic topic;
    private final ObservationRegistry registry;
    private final FairleadObservations observations;

    ObservedTopic(Topic topic, ObservationRegistry registry, FairleadObservations observations) {
        this.topic = topic;
        this.registry = registry;
        this.observations = observations;
    }

    @Override
    public long publish(MemorySegment message, long offset, long length) {
        return observed(length, context -> topic.publish(message, offset, length, context));
    }

    @Override
    public long publish(long key, MemorySegment message, long offset, long length) {
        return observed(length, context -> topic.publish(key, message, offset, length, context));
    }

    @Override
    public long publish(MemorySegment message, long offset, long length, MessageContext context) {
        return topic.publish(message, offset, length, context);
    }

    @Override
    public long publish(long key, MemorySegment message, long offset, long length, MessageContext context) {
        return topic.publish(key, message, offset, length, context);
    }

    private long observed(long length, ToLongFunction<MessageContext> publish) {
        SenderContext<Map<String, String>> sender = new SenderContext<>(
                (carrier, name, value) -> Objects.requireNonNull(carrier).put(name, value));
        Map<String, String> carried = new LinkedHashMap<>();
        sender.setCarrier(carried);
        GuardedObservation observation =
                GuardedObservation.start(() -> Observation.createNotStarted(NAME, () -> sender, registry)
                        .contextualName("publish " + topic.name())
                        .highCardinalityKeyValue("fairlead.topic", topic.name())
                        .highCardinalityKeyValue("fairlead.length", Long.toString(length)));
        String outcome = "error";
        try {
            long answer = publish.applyAsLong(observations.carried(carried));
            outcome = answer < 0 ? word(Status.of(answer)) : "ok";
            return answer;
        } catch (Throwable thrown) {
            observation.failed(thrown);
            throw thrown;
        } finally {
            observation.lowCardinality("fairlead.outcome", outcome);
            observation.stop();
        }
    }

    private static String word(Status status) {
        return status.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String name() {
        return topic.name();
    }

    @Override
    public TopicOptions options() {
        return topic.options();
    }

    @Override
    public long sequence() {
        return topic.sequence();
    }

    @Override
    public int subscriberCount() {
        return topic.subscriberCount();
    }

    @Override
    public long bytesPublished() {
        return topic.bytesPublished();
    }

    @Override
    public long batchesSent() {
        return topic.batchesSent();
    }

    @Override
    public long backPressureEvents() {
        return topic.backPressureEvents();
    }

    @Override
    public long messagesDropped() {
        return topic.messagesDropped();
    }

    @Override
    public List<SubscriberStats> subscribers() {
        return topic.subscribers();
    }

    @Override
    public void close() {
        topic.close();
    }
}
