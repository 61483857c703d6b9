package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.PubSubStatistics;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.Side;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Full batches, which subscribers of the same host read where the publisher keeps them: who may write there again, and when. */
public class PubSubInPlaceContract extends PubSubCases {
    private static final int LENGTH = 1000;
    private static final int BATCH = 32 * 1024;
    /** Longer than a batch. */
    private static final int LARGE = 100_000;

    /** Creates the suite. */
    protected PubSubInPlaceContract() {}

    private long batchesInPlace() {
        return PubSubStatistics.of(server().context()).value(PubSubCounter.BATCHES_IN_PLACE);
    }

    /** Publishes until batches are read in place, where that is possible. */
    private void begin(Publisher publisher, Topic topic) {
        boolean possible = transport().capabilities().contains(Capability.MAPPED_MEMORY);
        for (int round = 0; round < 100 && (round == 0 || (possible && batchesInPlace() < 4)); round++) {
            publishMany(topic, 7, 3 * BATCH / LENGTH, LENGTH);
            until(publisher::drained, "the messages to be sent");
        }
        assertEquals(possible, batchesInPlace() > 0);
    }

    /** Publishes full batches, no faster than one recorder gets them. */
    private void publishBatches(Topic topic, int count, TopicRecorder recorder) {
        for (int i = 0; i < count; i += 2) {
            publishMany(topic, 7, 2 * BATCH / LENGTH, LENGTH);
            until(() -> recorder.passed() == topic.sequence(), "every message");
        }
    }

    private static TopicOptions options(SlowPolicy policy) {
        return TopicOptions.defaults()
                .withSlowPolicy(policy)
                .withBatchBytes(BATCH)
                .withBacklogBytes(8L * BATCH);
    }

    @Test
    @Semantics("P-38")
    void shouldReadFullBatchesInPlaceWhereMemoryIsShared() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        List<TopicRecorder> recorders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TopicRecorder recorder = recorder(7);
            join(subscriber(publisher), "numbers", recorder);
            recorders.add(recorder);
        }
        begin(publisher, topic);
        publishMany(topic, 7, 10_000, LENGTH);
        publishMany(topic, 7, 100, 8);
        for (TopicRecorder recorder : recorders) {
            until(() -> recorder.passed() == topic.sequence(), "every message");
            assertEquals(List.of(), recorder.gaps());
        }
    }

    @Test
    @Semantics("P-12")
    void shouldLeaveTheMessageToAHandlerThatCloses() {
        boolean possible = transport().capabilities().contains(Capability.MAPPED_MEMORY);
        List<BiConsumer<Subscriber, Subscription>> closes = List.of(
                (_, subscription) -> subscription.close(),
                (subscriber, _) -> subscriber.close(),
                (subscriber, _) -> subscriber.startClose());
        for (int length : new int[] {LENGTH, LARGE}) {
            for (BiConsumer<Subscriber, Subscription> close : closes) {
                Publisher publisher = publisher();
                Topic topic = publisher.topic(
                        "numbers",
                        options(SlowPolicy.BLOCK).withMessageMax(LARGE).withBacklogBytes(8L * LARGE));
                Subscriber subscriber = subscriber(publisher);
                List<Subscription> self = new ArrayList<>();
                List<Integer> read = new ArrayList<>();
                self.add(subscriber.subscribe("numbers", (name, sequence, buffer, offset, bytes) -> {
                    if (length == LARGE || !possible || buffer.isReadOnly()) {
                        close.accept(subscriber, self.getFirst());
                        read.add(buffer.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE).length);
                    }
                }));
                awaitLive(self.getFirst());
                for (int round = 0; round < 100 && read.isEmpty(); round++) {
                    publishMany(topic, 7, 3 * BATCH / LENGTH, length);
                    until(publisher::drained, "the messages to be sent");
                }
                assertEquals(List.of(length), read);
                publisher.close();
            }
        }
    }

    @Test
    @Semantics("P-39")
    void shouldDeliverWhatIsUnreadWhenThePublisherHasClosed() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder recorder = recorder(7);
        awaitLive(subscribe(
                subscriber, "numbers", SubscriptionOptions.defaults().withTopicTimeout(Duration.ZERO), recorder));
        begin(publisher, topic);
        until(() -> recorder.passed() == topic.sequence(), "what came before");
        subscriber.pause();
        publishMany(topic, 7, 8 * BATCH / LENGTH, LENGTH);
        until(publisher::drained, "the messages to be sent");
        long last = topic.sequence();
        topic.close();
        untilIdle();
        assertTrue(recorder.passed() < last);
        subscriber.resume();
        until(() -> recorder.ends().size() == 1, "the end");
        assertEquals(last, recorder.passed());
        assertEquals(List.of(), recorder.gaps());
    }

    @Test
    @Semantics("P-39")
    void shouldDeliverWhatIsUnreadWhenThePublisherIsGone() {
        Side mortal = newMortalSide("mortal");
        Publisher publisher = publisher(mortal, freePort(), publisherOptions());
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder recorder = recorder(7);
        join(subscriber, "numbers", recorder);
        publishMany(topic, 7, 1000, LENGTH);
        until(() -> recorder.passed() == topic.sequence(), "what came before");
        subscriber.pause();
        publishMany(topic, 7, 8 * BATCH / LENGTH, LENGTH);
        until(publisher::drained, "the messages to be sent");
        untilIdle();
        long last = topic.sequence();
        publisher.close();
        kill(mortal);
        untilIdle();
        subscriber.resume();
        until(() -> recorder.passed() == last, "what had arrived");
        assertEquals(List.of(), recorder.gaps());
    }

    @Test
    @Semantics("P-40")
    void shouldNotWriteWhereASubscriberThatWasSentAwayStillReads() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.DISCONNECT));
        Subscriber slow = subscriber(publisher);
        TopicRecorder slowRecorder = recorder(7);
        Subscription subscription =
                subscribe(slow, "numbers", SubscriptionOptions.defaults().withWindowBytes(8L * BATCH), slowRecorder);
        awaitLive(subscription);
        begin(publisher, topic);
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        until(() -> slowRecorder.passed() == topic.sequence(), "what came before");
        slow.pause();
        publishBatches(topic, 40, recorder);
        assertEquals(1, topic.subscriberCount(), "the slow one is sent away");
        publishBatches(topic, 40, recorder);
        slow.resume();
        until(() -> !slowRecorder.disconnects().isEmpty(), "the slow one to read the end");
        assertEquals(Reason.LIMIT_REACHED, slowRecorder.disconnects().getFirst().reason());
        subscription.close();
        until(() -> recorder.passed() == topic.sequence(), "the other");
        assertEquals(List.of(), recorder.gaps());
    }

    @Test
    @Semantics("P-40")
    void shouldGoOnForOthersWhenASubscriberLeavesWhatItHasNotRead() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options(SlowPolicy.BLOCK));
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        begin(publisher, topic);
        for (int round = 0; round < 20; round++) {
            Subscriber passing = subscriber(publisher);
            TopicRecorder passingRecorder = recorder(7);
            Subscription subscription = join(passing, "numbers", passingRecorder);
            publishMany(topic, 7, 4 * BATCH / LENGTH, LENGTH);
            until(() -> passingRecorder.count() > 0, "the new one to read");
            passing.pause();
            publishMany(topic, 7, 4 * BATCH / LENGTH, LENGTH);
            if (round % 2 == 0) {
                subscription.close();
                assertEquals(SubscriptionState.CLOSED, subscription.state());
            }
            passing.close();
            publishMany(topic, 7, 8 * BATCH / LENGTH, LENGTH);
        }
        until(() -> recorder.passed() == topic.sequence(), "every message");
        assertEquals(List.of(), recorder.gaps());
        until(() -> topic.subscriberCount() == 1, "the others to be gone");
    }
}
