package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
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
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Slow subscribers: credits, bounds and the policies for them. */
public class PubSubSlowContract extends PubSubCases {
    private static final int BATCH = 1024;
    private static final int BACKLOG = 16 * BATCH;
    private static final int WINDOW = 8 * BATCH;
    /** A frame of such a message fills a batch. */
    private static final int FULL = BATCH - 16;

    private static final SubscriptionOptions NARROW =
            SubscriptionOptions.defaults().withWindowBytes(WINDOW);

    /** Creates the suite. */
    protected PubSubSlowContract() {}

    private static TopicOptions options(SlowPolicy policy) {
        return TopicOptions.defaults()
                .withSlowPolicy(policy)
                .withBatchBytes(BATCH)
                .withBacklogBytes(BACKLOG);
    }

    private Subscription join(Subscriber subscriber, TopicRecorder recorder) {
        Subscription subscription = subscribe(subscriber, "numbers", NARROW, recorder);
        awaitLive(subscription);
        untilIdle();
        return subscription;
    }

    /** Publishes full batches until there is back-pressure, and returns how many were taken. */
    private int fill(Topic topic, long seed) {
        MemorySegment buffer = buffer(FULL);
        int taken = 0;
        while (tryPublish(topic, seed, buffer, FULL) > 0) {
            taken++;
            turn();
            assertTrue(taken < 1000, "nothing bounds the messages");
        }
        return taken;
    }

    @Test
    @Semantics("P-30")
    void shouldBlockUntilTheSlowestHasRoom() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        Subscriber slow = subscriber(publisher);
        TopicRecorder slowRecorder = recorder(7);
        Subscription subscription = join(slow, slowRecorder);
        TopicRecorder fastRecorder = recorder(7);
        join(subscriber(publisher), fastRecorder);
        slow.pause();
        int taken = fill(topic, 7);
        assertEquals((WINDOW + BACKLOG) / BATCH, taken, "what the subscriber granted, and the backlog");
        until(() -> fastRecorder.count() == taken, "the fast subscriber to have everything");
        assertEquals(Endpoint.BACK_PRESSURE, topic.publish(buffer(8), 0, 8));
        assertTrue(topic.backPressureEvents() >= 2);
        SubscriberStats stats = publisher.subscribers().getFirst();
        assertEquals(SubscriberState.SLOW, stats.state());
        assertEquals(BACKLOG / BATCH, stats.backlog());
        assertFalse(publisher.drained());
        assertEquals(0, slowRecorder.count());
        slow.resume();
        publishMany(topic, 7, 1000, FULL);
        until(() -> slowRecorder.count() == taken + 1000 && fastRecorder.count() == taken + 1000, "everybody");
        assertEquals(List.of(), slowRecorder.gaps());
        assertEquals(0, subscription.missed() + topic.messagesDropped());
    }

    @Test
    @Semantics("P-31")
    void shouldDropTheOldestAndTellExactlyWhatWasMissed() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.DROP_OLDEST));
        Subscriber slow = subscriber(publisher);
        TopicRecorder slowRecorder = recorder(7);
        Subscription subscription = join(slow, slowRecorder);
        TopicRecorder fastRecorder = recorder(7);
        join(subscriber(publisher), fastRecorder);
        MemorySegment buffer = buffer(100);
        int published = 0;
        for (int round = 0; round < 5; round++) {
            slow.pause();
            for (int i = 0; i < 2000; i++) {
                assertTrue(tryPublish(topic, 7, buffer, i % 100) > 0, "a slow subscriber must not hold up the rest");
                published++;
                turn();
            }
            slow.resume();
            long sequence = published;
            until(() -> slowRecorder.passed() == sequence, "the slow subscriber to catch up");
        }
        int all = published;
        until(() -> fastRecorder.count() == all, "the fast subscriber");
        assertEquals(List.of(), fastRecorder.gaps());
        assertEquals(5, slowRecorder.gaps().size(), slowRecorder::toString);
        assertTrue(slowRecorder.gaps().stream().allMatch(gap -> gap.cause() == GapCause.SLOW));
        assertEquals(published, slowRecorder.count() + slowRecorder.missed());
        assertEquals(slowRecorder.missed(), subscription.missed());
        assertEquals(5, subscription.gaps());
        assertEquals(slowRecorder.missed(), topic.messagesDropped());
        assertEquals(0, topic.backPressureEvents());
        assertEquals(
                slowRecorder.missed(),
                publisher.subscribers().stream()
                        .mapToLong(SubscriberStats::dropped)
                        .sum());
    }

    @Test
    @Semantics("P-32")
    void shouldDropLargeMessagesWhole() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic(
                "numbers",
                options(SlowPolicy.DROP_OLDEST).withMessageMax(200_000).withBacklogBytes(1 << 20));
        Subscriber slow = subscriber(publisher);
        TopicRecorder recorder = recorder(7);
        join(slow, recorder);
        MemorySegment buffer = buffer(200_000);
        long[] lengths = {200_000, 10, 70_000, 1008, 5000, 0, 130_000};
        for (int round = 0; round < 3; round++) {
            slow.pause();
            for (int i = 0; i < 200; i++) {
                assertTrue(tryPublish(topic, 7, buffer, lengths[i % lengths.length]) > 0);
                turn();
            }
            slow.resume();
            long sequence = topic.sequence();
            until(() -> recorder.passed() == sequence, "the slow subscriber to catch up");
        }
        assertEquals(600, recorder.count() + recorder.missed());
        assertTrue(recorder.missed() > 0 && recorder.count() > 0, recorder::toString);
    }

    @Test
    @Semantics("P-33")
    void shouldDisconnectTheSlowOneWithAReason() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.DISCONNECT));
        Topic other = publisher.topic("other");
        Subscriber slow = subscriber(publisher);
        TopicRecorder slowRecorder = recorder(7);
        Subscription subscription = join(slow, slowRecorder);
        TopicRecorder otherRecorder = recorder(9);
        join(slow, "other", otherRecorder);
        TopicRecorder fastRecorder = recorder(7);
        join(subscriber(publisher), fastRecorder);
        slow.pause();
        MemorySegment buffer = buffer(FULL);
        for (int i = 0; i < 100; i++) {
            assertTrue(tryPublish(topic, 7, buffer, FULL) > 0, "a slow subscriber must not hold up the rest");
            turn();
        }
        assertEquals(1, topic.subscriberCount());
        slow.resume();
        until(() -> slowRecorder.joins().size() == 2, "the slow subscriber to join again");
        assertEquals(WINDOW / BATCH, slowRecorder.count(), "what had been sent is delivered");
        assertEquals(Reason.LIMIT_REACHED, slowRecorder.disconnects().getFirst().reason());
        String message = String.valueOf(slowRecorder.disconnects().getFirst().getMessage());
        assertTrue(message.contains("topic=numbers") && message.contains("backlogBytes=" + BACKLOG), message);
        publishMany(topic, 7, 10, 8);
        until(() -> slowRecorder.last() == 110, "the stream to go on");
        assertEquals(
                List.of(new TopicRecorder.Gap(WINDOW / BATCH + 1, 100, GapCause.DISCONNECTED)), slowRecorder.gaps());
        assertEquals(1, subscription.rejoins());
        until(() -> fastRecorder.count() == 110, "the fast subscriber");
        publishMany(other, 9, 10, 8);
        until(() -> otherRecorder.count() == 10, "the slow one's other topic");
        assertEquals(List.of(), otherRecorder.disconnects());
        assertEquals(0, slow.reconnects());
    }

    @Test
    @Semantics("P-34")
    void shouldNotHoldUpOneTopicForAnother() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        Topic other = publisher.topic("other");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder recorder = recorder(9);
        join(subscriber, recorder(7));
        Subscriber second = subscriber(publisher);
        join(second, "other", recorder);
        subscriber.pause();
        fill(topic, 7);
        publishMany(other, 9, 5000, 100);
        until(() -> recorder.count() == 5000, "the other topic's messages");
    }

    @Test
    @Semantics("P-35")
    void shouldTellHowFarASubscriptionIsBehind() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        Subscriber slow =
                subscriber(client(), publisher.address(), subscriberOptions().withDeliverMax(1));
        TopicRecorder recorder = recorder(7);
        Subscription subscription = join(slow, recorder);
        slow.pause();
        int taken = fill(topic, 7);
        assertTrue(subscription.lag() >= WINDOW / BATCH, "lag=" + subscription.lag());
        assertTrue(subscription.lag() <= taken, "lag=" + subscription.lag());
        slow.resume();
        until(() -> recorder.count() == taken, "everything");
        assertEquals(0, subscription.lag());
    }

    @Test
    @Semantics("P-36")
    void shouldDeliverALimitedNumberOfMessagesPerProgress() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber =
                subscriber(client(), publisher.address(), subscriberOptions().withDeliverMax(10));
        TopicRecorder recorder = recorder(7);
        join(subscriber, "numbers", recorder);
        subscriber.pause();
        publishMany(topic, 7, 100, 8);
        untilIdle();
        for (int i = 1; i <= 10; i++) {
            subscriber.resume();
            client().progress();
            subscriber.pause();
            assertTrue(recorder.count() <= 10 * i, "count=" + recorder.count());
        }
        assertTrue(recorder.count() > 0);
        assertTrue(subscriber.isPaused());
        subscriber.resume();
        assertFalse(subscriber.isPaused());
        until(() -> recorder.count() == 100, "the rest");
    }

    @Test
    @Semantics("P-37")
    void shouldForgetABlockingSubscriberThatLeaves() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        Subscriber slow = subscriber(newSide("slow"), publisher.address(), subscriberOptions());
        join(slow, recorder(7));
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), recorder);
        slow.pause();
        int taken = fill(topic, 7);
        slow.close();
        publishMany(topic, 7, 100, FULL);
        until(() -> recorder.count() == taken + 100, "the other subscriber");
        assertEquals(1, topic.subscriberCount());
    }

    @Test
    @Semantics("P-96")
    void shouldStopAtTheMessageWhoseHandlerPauses() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK).withMessageMax(BACKLOG / 2));
        Topic other = publisher.topic("other");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder recorder = recorder(7);
        PausingRecorder pausing = subscribePausing(subscriber, "numbers", SubscriptionOptions.defaults(), recorder);
        TopicRecorder otherRecorder = recorder(9);
        PausingRecorder otherPausing =
                subscribePausing(subscriber, "other", SubscriptionOptions.defaults(), otherRecorder);
        resumeUntil(subscriber, () -> topic.subscriberCount() + other.subscriberCount() == 2, "the joins");
        publishMany(other, 9, 20, 8);
        for (int round = 0; round < 10; round++) {
            publishMany(topic, 7, 3, 8);
            publishMany(topic, 7, 2, 5000);
            resumeUntil(subscriber, () -> recorder.last() == topic.sequence(), "the messages of a round");
        }
        resumeUntil(subscriber, () -> otherRecorder.count() == 20, "the other topic");
        assertEquals(50, recorder.count());
        assertEquals(
                0,
                pausing.callsWhilePaused().value()
                        + otherPausing.callsWhilePaused().value());
        int calls = pausing.calls().value() + otherPausing.calls().value();
        untilIdle();
        assertEquals(calls, pausing.calls().value() + otherPausing.calls().value());
    }

    @Test
    @Semantics("P-96")
    void shouldStopAtTheGapWhoseEventPauses() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic(
                "numbers", options(SlowPolicy.DROP_OLDEST).withMessageMax(5000).withBacklogBytes(BACKLOG));
        Subscriber slow = subscriber(publisher);
        TopicRecorder recorder = recorder(7);
        PausingRecorder pausing = subscribePausing(slow, "numbers", NARROW, recorder);
        resumeUntil(slow, () -> !recorder.joins().isEmpty(), "the join");
        MemorySegment buffer = buffer(5000);
        int published = 0;
        for (long length : new long[] {8, 5000}) {
            for (int i = 0; i < 2000; i++) {
                assertTrue(tryPublish(topic, 7, buffer, length) > 0);
                published++;
                turn();
            }
            resumeUntil(slow, () -> recorder.passed() == topic.sequence(), "the slow subscriber to catch up");
        }
        assertEquals(0, pausing.callsWhilePaused().value());
        assertTrue(recorder.gaps().size() >= 2, recorder::toString);
        assertEquals(published, recorder.count() + recorder.missed());
    }

    @Test
    @Semantics("P-97")
    void shouldCountWhatAClosedTopicHasNotSent() {
        countUnsent(server(), (publisher, topic) -> {
            assertFalse(publisher.drained());
            topic.close();
            topic.close();
        });
    }

    @Test
    @Semantics("P-97")
    void shouldCountWhatAClosedPublisherHasNotSent() {
        countUnsent(server(), (publisher, _) -> publisher.close());
        Side mortal = newMortalSide("mortal");
        countUnsent(mortal, (_, _) -> {
            mortal.worker().close();
            kill(mortal);
        });
    }

    private void countUnsent(Side publishing, BiConsumer<Publisher, Topic> close) {
        Publisher publisher =
                publisher(publishing, freePort(), publisherOptions().withDrainTimeout(Duration.ZERO));
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        Subscriber slow = subscriber(publisher);
        TopicRecorder recorder = recorder(7);
        join(slow, recorder);
        slow.pause();
        int taken = fill(topic, 7);
        close.accept(publisher, topic);
        slow.resume();
        until(() -> !recorder.disconnects().isEmpty(), "the end of the stream");
        assertEquals(BACKLOG / BATCH, topic.messagesDropped());
        assertEquals(taken, recorder.count() + topic.messagesDropped());
        slow.close();
    }
}
