package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberState;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.Side;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Topics without faults: what subscribers receive. */
public class PubSubContract extends PubSubCases {
    private static final int MANY = 100_000;

    /** Creates the suite. */
    protected PubSubContract() {}

    @Test
    @Semantics("P-01")
    void shouldDeliverEveryMessageToEverySubscriber() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        List<TopicRecorder> recorders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TopicRecorder recorder = recorder(7);
            join(subscriber(newSide("reader-" + i), publisher.address(), subscriberOptions()), "numbers", recorder);
            recorders.add(recorder);
        }
        assertEquals(3, topic.subscriberCount());
        MemorySegment buffer = buffer(64);
        for (int i = 1; i <= MANY; i++) {
            assertEquals(i, publish(topic, 7, buffer, 8 + i % 57));
        }
        until(() -> recorders.stream().allMatch(recorder -> recorder.count() == MANY), "all messages to arrive");
        for (TopicRecorder recorder : recorders) {
            assertEquals(List.of(), recorder.gaps());
            assertEquals(MANY, recorder.last());
        }
        until(publisher::drained, "the publisher to learn that all has left");
    }

    @Test
    @Semantics("P-02")
    void shouldStartAtTheNextMessage() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        publishMany(topic, 7, 100, 8);
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        assertEquals(List.of(101L), recorder.joins());
        publishMany(topic, 7, 3, 8);
        until(() -> recorder.count() == 3, "the messages after the join");
        assertEquals(List.of(101L, 102L, 103L), recorder.sequences());
        assertEquals(List.of(), recorder.gaps());
    }

    @Test
    @Semantics("P-100")
    void shouldDeliverTheFirstMessageAfterTheJoin() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        publishMany(topic, 7, 5, 8);
        TopicRecorder recorder = recorder(7);
        Subscription subscription = subscribe(subscriber(publisher), "numbers", recorder);
        CompletableFuture<Subscription> joined = subscription.joined();
        assertFalse(joined.isDone(), "no progress was made");
        // A caller may look in each turn, and none can end the future for others.
        assertSame(joined, subscription.joined());
        assertFalse(joined.cancel(true));
        assertFalse(joined.complete(null));
        CompletableFuture<Subscription> timedOut = joined.orTimeout(1, TimeUnit.NANOSECONDS);
        assertThrows(CompletionException.class, timedOut::join);
        until(joined::isDone, "the join");
        assertSame(subscription, joined.join());
        publishMany(topic, 7, 1, 8);
        until(() -> recorder.count() == 1, "the message after the join");
        assertEquals(List.of(6L), recorder.sequences());
        subscription.close();
        assertSame(subscription, subscription.joined().join());
    }

    @Test
    @Semantics("P-100")
    void shouldFailToJoinWithTheCause() {
        Publisher publisher = publisher();
        publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        Subscription unknown = subscribe(
                subscriber, "letters", SubscriptionOptions.defaults().withTopicTimeout(Duration.ZERO), recorder(7));
        Subscription closed = subscribe(subscriber, "numbers", recorder(7));
        closed.close();
        assertEquals(Reason.CLOSED, failureOf(closed.joined()));
        until(() -> unknown.joined().isDone(), "the refusal");
        assertEquals(Reason.REFUSED, failureOf(unknown.joined()));
        Subscription waiting = subscribe(subscriber, "numbers", recorder(7));
        subscriber.close();
        assertEquals(Reason.CLOSED, failureOf(waiting.joined()));
    }

    private static Reason failureOf(CompletableFuture<Subscription> joined) {
        Throwable[] seen = new Throwable[1];
        CompletableFuture<Subscription> _ = joined.whenComplete((_, failure) -> seen[0] = failure);
        return assertInstanceOf(FairleadException.class, seen[0]).reason();
    }

    @Test
    @Semantics("P-03")
    void shouldDeliverMessagesOfEveryLength() {
        Publisher publisher = publisher();
        TopicOptions options = TopicOptions.defaults().withBatchBytes(1024).withMessageMax(3 << 20);
        Topic topic = publisher.topic("sizes", options);
        TopicRecorder recorder = recorder(7);
        Subscription subscription = join(subscriber(publisher), "sizes", recorder);
        MemorySegment buffer = buffer(options.messageMax());
        long[] lengths = {
            0, 1, 7, 8, 9, 500, 1007, 1008, 1009, 1024, 65_535, 65_536, 65_537, 1 << 20, 3 << 20, 0, 8, 1009, 1010, 24
        };
        long bytes = 0;
        for (long length : lengths) {
            publish(topic, 7, buffer, length);
            bytes += length;
        }
        until(() -> recorder.count() == lengths.length, "all lengths to arrive");
        assertEquals(bytes, subscription.bytesReceived());
        assertEquals(bytes, topic.bytesPublished());
    }

    @Test
    @Semantics("P-04")
    void shouldKeepTheTopicsOfAConnectionApart() {
        Publisher publisher = publisher();
        Subscriber subscriber = subscriber(publisher);
        List<Topic> topics = new ArrayList<>();
        List<TopicRecorder> recorders = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            topics.add(publisher.topic("topic-" + i));
            recorders.add(recorder(1000L * i));
            join(subscriber, "topic-" + i, recorders.get(i));
        }
        MemorySegment buffer = buffer(32);
        for (int round = 0; round < 1000; round++) {
            for (int i = 0; i < 20; i++) {
                publish(topics.get(i), 1000L * i, buffer, 32);
            }
        }
        until(() -> recorders.stream().allMatch(recorder -> recorder.count() == 1000), "all topics' messages");
        assertEquals(20, publisher.subscribers().size());
        assertEquals(0, subscriber.reconnects());
    }

    @Test
    @Semantics("P-06")
    void shouldServeSeveralSubscriptionsToOneTopic() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder first = recorder(7);
        TopicRecorder second = recorder(7);
        join(subscriber, "numbers", first);
        publishMany(topic, 7, 10, 8);
        join(subscriber, "numbers", second);
        publishMany(topic, 7, 10, 8);
        until(() -> first.count() == 20 && second.count() == 10, "each its own messages");
        assertEquals(2, topic.subscriberCount());
    }

    @Test
    @Semantics("P-08")
    void shouldRefuseMessagesThatBreakTheTopicsRules() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", TopicOptions.defaults().withMessageMax(100));
        MemorySegment buffer = buffer(101);
        assertThrows(IllegalArgumentException.class, () -> topic.publish(buffer, 0, 101));
        assertThrows(IndexOutOfBoundsException.class, () -> topic.publish(buffer, 2, 100));
        assertThrows(IndexOutOfBoundsException.class, () -> topic.publish(buffer, -1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> topic.publish(buffer, 0, -1));
        assertThrows(IllegalStateException.class, () -> topic.publish(1, buffer, 0, 1));
        assertEquals(0, topic.sequence());
        assertEquals(1, topic.publish(buffer, 1, 100));
        assertThrows(IllegalArgumentException.class, () -> publisher.topic("numbers"));
        assertThrows(IllegalArgumentException.class, () -> publisher.topic(""));
        topic.close();
        assertEquals(Endpoint.CLOSED, topic.publish(buffer, 0, 1));
        assertEquals("numbers", publisher.topic("numbers").name());
    }

    @Test
    @Semantics("P-09")
    void shouldSendASmallMessageWithoutWaitingForMore() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        for (int i = 1; i <= 100; i++) {
            publishMany(topic, 7, 1, 8);
            int expected = i;
            until(() -> recorder.count() == expected, "one message by itself");
        }
        assertEquals(100, topic.batchesSent());
    }

    @Test
    @Semantics("P-10")
    void shouldSendManySmallMessagesInFewBatches() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        publishMany(topic, 7, 10_000, 16);
        until(() -> recorder.count() == 10_000, "all messages");
        // 10,000 frames of 32 bytes fill 9.8 batches of 32 KiB.
        assertEquals(10, topic.batchesSent());
    }

    @Test
    @Semantics("P-16")
    void shouldTellTheFiguresOfBothSides() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        publishMany(topic, 7, 5, 8);
        TopicRecorder recorder = recorder(7);
        Subscriber subscriber =
                subscriber(client(), publisher.address(), subscriberOptions().withName("reader"));
        Subscription subscription = join(subscriber, "numbers", recorder);
        publishMany(topic, 7, 100, 8);
        until(() -> recorder.count() == 100 && publisher.drained(), "all messages");
        assertEquals(100, subscription.received());
        assertEquals(800, subscription.bytesReceived());
        assertEquals(105, subscription.lastSequence());
        assertEquals(0, subscription.lag());
        assertEquals(0, subscription.gaps() + subscription.missed() + subscription.rejoins());
        assertEquals("numbers", subscription.topic());
        assertEquals(List.of(subscription), subscriber.subscriptions());
        assertTrue(subscriber.connected());
        SubscriberStats stats = publisher.subscribers().getFirst();
        assertEquals("reader", stats.subscriber());
        assertEquals("numbers", stats.topic());
        assertEquals(SubscriberState.LIVE, stats.state());
        assertEquals(6, stats.joinedSequence());
        assertEquals(105, stats.sentSequence());
        assertEquals(0, stats.backlog() + stats.dropped());
        assertEquals(transport().name(), stats.path().orElseThrow().transport());
        assertEquals(transport().name(), subscriber.path().orElseThrow().transport());
        assertEquals(105, topic.sequence());
    }

    @Test
    @Semantics({"C-25", "C-43"})
    void shouldConnectUnderTheConfiguredPolicyUnlessTheOptionsNameOne() {
        Publisher publisher = publisher();
        publisher.topic("numbers");
        configure(ConfigKeys.POLICY, unsatisfiedPolicy());
        Side strict = newSide("strict");
        Subscriber refused = subscriber(strict, publisher.address(), subscriberOptions());
        TopicRecorder recorder = recorder(7);
        subscribe(refused, "numbers", recorder);
        until(() -> !recorder.ends().isEmpty() || refused.connected(), "the refusal");
        assertFalse(refused.connected());
        assertEquals(Reason.NO_PATH, recorder.ends().getFirst().reason());
        Subscriber own =
                subscriber(strict, publisher.address(), subscriberOptions().withPathPolicy(PathPolicy.AUTO));
        join(own, "numbers", recorder(7));
        assertEquals(transport().name(), own.path().orElseThrow().transport());
    }
}
