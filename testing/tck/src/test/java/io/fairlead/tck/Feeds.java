package io.fairlead.tck;

import io.fairlead.FairleadException;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PublisherEvents;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.TopicOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Flows of a given number of elements, each over a topic. A topic tells whoever joins what comes from then on, and the suites want all elements from the first, as
 * often as they subscribe. So each subscription is to a topic of its own, which is published from the moment in which the subscriber has joined.
 */
final class Feeds implements PublisherEvents, AutoCloseable {
    /** Small bounds, so that a subscriber without demand soon holds the publisher up. */
    private static final TopicOptions TOPIC =
            TopicOptions.defaults().withBatchBytes(1024).withBacklogBytes(4096);

    private static final SubscriptionOptions SUBSCRIPTION =
            SubscriptionOptions.defaults().withWindowBytes(4096);

    private final Map<String, Feed> feeds = new ConcurrentHashMap<>();
    private final AtomicLong names = new AtomicLong();
    private final Nodes nodes;

    private static final class Feed {
        private final NodeTopic topic;
        private final long elements;
        private volatile boolean left;

        Feed(NodeTopic topic, long elements) {
            this.topic = topic;
            this.elements = elements;
        }

        /** Waits where there is no room, on a thread of its own. */
        void run() {
            for (long i = 0; i < elements && !left; i++) {
                CompletableFuture<Long> sent = topic.publish(MemorySegment.ofArray(new long[] {i}));
                if (i % 64 == 63) {
                    sent.exceptionally(_ -> stop()).join();
                }
            }
            CompletableFuture<Void> _ = topic.drain().exceptionally(_ -> null).thenCompose(_ -> topic.close());
        }

        private Long stop() {
            left = true;
            return 0L;
        }
    }

    Feeds(Lane lane) {
        nodes = new Nodes(lane, this);
    }

    Flow.Publisher<Long> flow(long elements) {
        return subscriber -> {
            String name = "feed-" + names.incrementAndGet();
            Flow.Publisher<Long> flow = nodes.subscriber()
                    .flow(
                            name,
                            SUBSCRIPTION,
                            FlowOptions.defaults(),
                            message -> message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
            feeds.put(name, new Feed(Nodes.get(nodes.publisher().topic(name, TOPIC)), elements));
            flow.subscribe(subscriber);
        };
    }

    /** A flow that fails: there is no such topic, and none is waited for. */
    Flow.Publisher<Long> failed() {
        return nodes.subscriber()
                .flow(
                        "no-such-topic",
                        SUBSCRIPTION.withTopicTimeout(Duration.ZERO),
                        FlowOptions.defaults(),
                        message -> message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
    }

    @Override
    public void joined(SubscriberStats subscriber) {
        Feed feed = feeds.get(subscriber.topic());
        if (feed != null) {
            Thread.ofVirtual().start(feed::run);
        }
    }

    @Override
    public void left(SubscriberStats subscriber, FairleadException cause) {
        Feed feed = feeds.remove(subscriber.topic());
        if (feed != null) {
            feed.left = true;
            CompletableFuture<Void> _ = feed.topic.close();
        }
    }

    @Override
    public void close() {
        nodes.close();
    }
}
