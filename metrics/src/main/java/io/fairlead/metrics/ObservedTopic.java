package io.fairlead.metrics;

import io.fairlead.Status;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** A topic, and an observation around each publish. */
final class ObservedTopic implements Topic {
    private static final String NAME = "fairlead.publish";

    private final Topic topic;
    private final ObservationRegistry registry;

    ObservedTopic(Topic topic, ObservationRegistry registry) {
        this.topic = topic;
        this.registry = registry;
    }

    @Override
    public long publish(MemorySegment message, long offset, long length) {
        return observed(length, () -> topic.publish(message, offset, length));
    }

    @Override
    public long publish(long key, MemorySegment message, long offset, long length) {
        return observed(length, () -> topic.publish(key, message, offset, length));
    }

    private long observed(long length, LongSupplier publish) {
        Observation observation = Observation.createNotStarted(NAME, registry)
                .contextualName("publish " + topic.name())
                .highCardinalityKeyValue("fairlead.topic", topic.name())
                .highCardinalityKeyValue("fairlead.length", Long.toString(length))
                .start();
        String outcome = "error";
        try {
            long answer = publish.getAsLong();
            outcome = answer < 0 ? word(Status.of(answer)) : "ok";
            return answer;
        } catch (RuntimeException | Error thrown) {
            observation.error(thrown);
            throw thrown;
        } finally {
            observation.lowCardinalityKeyValue("fairlead.outcome", outcome);
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
