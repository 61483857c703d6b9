package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.PubSubStatistics;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.TopicOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** What the suites about flows share: a publisher and a subscriber on two nodes, and the signals of flows. */
abstract class FlowCases extends NodeCases {
    static final long DEADLINE_S = Long.getLong("fairlead.contract.deadline-s", 60);
    static final TopicOptions SMALL =
            TopicOptions.defaults().withBatchBytes(1024).withBacklogBytes(8192);
    static final SubscriptionOptions SMALL_WINDOW =
            SubscriptionOptions.defaults().withWindowBytes(4096);
    static final Function<MemorySegment, Long> WORD = message -> message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);

    FlowCases() {}

    final NodePublisher publisher() {
        return closeLater(get(NodePublisher.listen(
                serverNode(), loopback(), PublisherOptions.defaults().withDrainTimeout(Duration.ofMillis(20)))));
    }

    final NodeSubscriber subscriber(NodePublisher publisher) {
        return closeLater(get(NodeSubscriber.connect(clientNode(), publisher.address())));
    }

    static Flow.Publisher<Long> words(NodeSubscriber subscriber) {
        return subscriber.flow("words", SMALL_WINDOW, FlowOptions.defaults(), WORD);
    }

    static MemorySegment word(long value) {
        return MemorySegment.ofArray(new long[] {value});
    }

    static void awaitTrue(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "waited in vain for " + what);
            LockSupport.parkNanos(100_000);
        }
    }

    static void awaitSubscribers(NodeTopic topic, int count) {
        awaitTrue(() -> topic.subscriberCount() == count, count + " subscribers");
    }

    /** Subscribes, and waits until the subscriber has joined. */
    static <T> FlowRecorder<T> join(Flow.Publisher<T> flow, NodeTopic topic, FlowRecorder<T> recorder) {
        int before = topic.subscriberCount();
        flow.subscribe(recorder);
        awaitSubscribers(topic, before + 1);
        return recorder;
    }

    /** Publishes words from 0 on, without waiting. */
    static List<CompletableFuture<Long>> publish(NodeTopic topic, int count) {
        List<CompletableFuture<Long>> sent = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            sent.add(topic.publish(word(i)));
        }
        return sent;
    }

    static FairleadException fairlead(Object end, Reason reason) {
        FairleadException failure = assertInstanceOf(FairleadException.class, end);
        assertEquals(reason, failure.reason(), failure::getMessage);
        return failure;
    }

    final void assertNothingLeft(NodeTopic topic) {
        awaitSubscribers(topic, 0);
        awaitTrue(
                () -> PubSubStatistics.of(clientNode().context()).value(PubSubCounter.SUBSCRIPTIONS) == 0,
                "the subscriptions to end");
    }
}
