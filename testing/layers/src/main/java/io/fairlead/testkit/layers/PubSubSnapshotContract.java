package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.Side;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Snapshots by one-sided get, and the stream that continues them without duplicate or gap. */
public class PubSubSnapshotContract extends PubSubCases {
    private static final SubscriptionOptions FROM_SNAPSHOT =
            SubscriptionOptions.defaults().withStartAt(StartAt.SNAPSHOT);

    /** Creates the suite. */
    protected PubSubSnapshotContract() {}

    @BeforeEach
    final void requireGet() {
        requires(Capability.GET);
    }

    private void publishKeyed(Topic topic, long key) {
        MemorySegment buffer = buffer(48);
        Pattern.fill(buffer, 0, 48, 7 + topic.sequence() + 1);
        assertTrue(topic.publish(key, buffer, 0, 48) > 0);
        turn();
    }

    private TopicRecorder snapshotRecorder() {
        return recorder(7).withSnapshot();
    }

    private Subscription joinSnapshot(Subscriber subscriber, TopicRecorder recorder) {
        Subscription subscription = subscribe(subscriber, "values", FROM_SNAPSHOT, recorder);
        awaitLive(subscription);
        return subscription;
    }

    @Test
    @Semantics("P-50")
    void shouldDeliverTheLastValueOfEachKeyAndThenTheStream() {
        Publisher publisher = publisher();
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastValues(10, 64)));
        for (int i = 0; i < 100; i++) {
            publishKeyed(topic, i % 7);
        }
        publishKeyed(topic, 99);
        TopicRecorder recorder = snapshotRecorder();
        joinSnapshot(subscriber(publisher), recorder);
        until(() -> !recorder.snapshots().isEmpty(), "the snapshot");
        assertEquals(List.of(94L, 95L, 96L, 97L, 98L, 99L, 100L, 101L), recorder.sequences());
        assertEquals(List.of(8), recorder.snapshots());
        assertEquals(List.of(102L), recorder.joins());
        publishKeyed(topic, 5);
        until(() -> recorder.last() == 102, "the stream");
        assertEquals(List.of(), recorder.gaps());
    }

    @Test
    @Semantics("P-12")
    void shouldLeaveAValueToAHandlerThatCloses() {
        Publisher publisher = publisher();
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastValues(10, 64)));
        for (int i = 0; i < 5; i++) {
            publishKeyed(topic, i);
        }
        for (boolean all : new boolean[] {false, true}) {
            Subscriber subscriber = subscriber(publisher);
            List<Subscription> self = new ArrayList<>();
            List<Integer> read = new ArrayList<>();
            self.add(subscriber.subscribe(
                    "values",
                    FROM_SNAPSHOT,
                    (name, sequence, buffer, offset, length) -> {
                        self.getFirst().close();
                        if (all) {
                            subscriber.close();
                        }
                        read.add(buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE).length);
                    },
                    SubscriptionEvents.NONE));
            until(() -> !read.isEmpty(), "a value");
            untilIdle();
            assertEquals(List.of(48), read);
        }
    }

    @Test
    @Semantics("P-51")
    void shouldDeliverTheLastMessagesAndThenTheStream() {
        Publisher publisher = publisher();
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(10, 64)));
        TopicRecorder early = snapshotRecorder();
        joinSnapshot(subscriber(publisher), early);
        until(() -> !early.snapshots().isEmpty(), "the snapshot");
        assertEquals(List.of(0), early.snapshots(), "nothing was published");
        publishMany(topic, 7, 4, 64);
        TopicRecorder first = snapshotRecorder();
        joinSnapshot(subscriber(publisher), first);
        publishMany(topic, 7, 40, 33);
        TopicRecorder second = snapshotRecorder();
        joinSnapshot(subscriber(publisher), second);
        publishMany(topic, 7, 1, 0);
        until(() -> early.last() == 45 && first.last() == 45 && second.last() == 45, "the stream");
        assertEquals(LongStream.rangeClosed(1, 45).boxed().toList(), early.sequences());
        assertEquals(LongStream.rangeClosed(1, 45).boxed().toList(), first.sequences());
        assertEquals(LongStream.rangeClosed(35, 45).boxed().toList(), second.sequences());
    }

    @Test
    @Semantics("P-52")
    void shouldForgetTheKeyThatWasPublishedLongestAgo() {
        Publisher publisher = publisher();
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastValues(2, 64)));
        publishKeyed(topic, 1);
        publishKeyed(topic, 2);
        publishKeyed(topic, 1);
        publishKeyed(topic, 3);
        TopicRecorder recorder = snapshotRecorder();
        joinSnapshot(subscriber(publisher), recorder);
        until(() -> !recorder.snapshots().isEmpty(), "the snapshot");
        assertEquals(List.of(3L, 4L), recorder.sequences());
    }

    @Test
    @Semantics("P-53")
    void shouldNeitherRepeatNorMissValuesWhileThePublisherGoesOn() throws InterruptedException {
        assertContinuous(SnapshotOptions.lastValues(64, 512), 50);
    }

    @Test
    @Semantics("P-53")
    void shouldNeitherRepeatNorMissMessagesWhileThePublisherGoesOn() throws InterruptedException {
        assertContinuous(SnapshotOptions.lastMessages(64, 512), 50);
    }

    @Test
    @Semantics({"P-53", "P-84"})
    void shouldDeliverARunOfLastMessagesWhileThePublisherGoesOn() throws InterruptedException {
        assertContinuous(SnapshotOptions.lastMessages(500, 4096), 40);
    }

    /** A table of several pieces, so that every round publishes while some of them are read already and others are not. */
    @Test
    @Semantics("P-84")
    void shouldDeliverARunOfLastMessagesWhoseOldestAreOverwrittenMeanwhile() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic(
                "values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(8, 1 << 20)));
        publishMany(topic, 7, 20, 64);
        Subscriber subscriber = subscriber(publisher);
        until(subscriber::connected, "the connection");
        MemorySegment buffer = buffer(64);
        for (int round = 0; round < 40; round++) {
            TopicRecorder recorder = recorder(7).withSnapshotOfRun();
            Subscription subscription = subscribe(subscriber, "values", FROM_SNAPSHOT, recorder);
            int every = 1 + round % 5;
            for (int turn = 1; recorder.snapshots().isEmpty(); turn++) {
                turn();
                if (turn % every == 0) {
                    publish(topic, 7, buffer, 64);
                }
            }
            assertTrue(recorder.snapshots().getFirst() <= 8);
            long last = publish(topic, 7, buffer, 64);
            until(() -> recorder.last() == last, "the stream");
            assertEquals(List.of(), recorder.gaps());
            subscription.close();
        }
    }

    /** A publisher with a thread of its own publishes as fast as it can while subscribers join and leave. */
    private void assertContinuous(SnapshotOptions options, int rounds) throws InterruptedException {
        boolean keyed = options.kind() == SnapshotOptions.Kind.LAST_VALUES;
        int entries = options.entries();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicReference<@Nullable InetSocketAddress> made = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                publishUntil(stop, made, options);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        thread.start();
        try {
            until(() -> made.get() != null || failure.get() != null, "the publisher");
            InetSocketAddress address = made.get();
            for (int i = 0; address != null && i < rounds; i++) {
                TopicRecorder recorder =
                        keyed ? snapshotRecorder() : recorder(7).withSnapshotOfRun();
                Subscriber subscriber = subscriber(client(), address, subscriberOptions());
                Subscription subscription = subscribe(subscriber, "values", FROM_SNAPSHOT, recorder);
                until(() -> recorder.count() > 2000 || failure.get() != null, "the snapshot and some of the stream");
                assertNoneThrown(failure);
                assertEquals(List.of(), recorder.gaps());
                long next = recorder.joins().getFirst();
                int before = recorder.snapshots().getFirst();
                assertTrue(before <= entries);
                long first = recorder.sequences().getFirst();
                if (!keyed && before > 0) {
                    assertEquals(next - before, first, "the last messages before the stream, without a hole");
                }
                assertTrue(
                        first >= next - (keyed ? 2L * entries : entries),
                        "values that were published last: first=" + first + ", next=" + next);
                subscription.close();
                subscriber.close();
            }
        } finally {
            stop.set(true);
            thread.join();
        }
        assertNoneThrown(failure);
    }

    private static void assertNoneThrown(AtomicReference<@Nullable Throwable> failure) {
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new AssertionError("the publisher's thread threw", thrown);
        }
    }

    private void publishUntil(
            AtomicBoolean stop, AtomicReference<@Nullable InetSocketAddress> made, SnapshotOptions snapshot) {
        try (Arena arena = Arena.ofShared();
                Side side = new Side("publishing", openContext(config()));
                Publisher publisher = Publisher.listen(side.worker(), freePort(), publisherOptions())) {
            Topic topic = publisher.topic("values", TopicOptions.defaults().withSnapshot(snapshot));
            MemorySegment buffer = arena.allocate(512, 8);
            made.set(publisher.address());
            while (!stop.get()) {
                for (int i = 0; i < 10; i++) {
                    long sequence = topic.sequence() + 1;
                    long length = 8 + sequence % 505;
                    Pattern.fill(buffer, 0, length, 7 + sequence);
                    long result = snapshot.kind() == SnapshotOptions.Kind.LAST_VALUES
                            ? topic.publish(sequence * 31 % 64, buffer, 0, length)
                            : topic.publish(buffer, 0, length);
                    if (result == Endpoint.BACK_PRESSURE) {
                        // A subscriber that reads its snapshot takes nothing of its stream meanwhile.
                        break;
                    }
                    assertEquals(sequence, result);
                }
                side.worker().progress();
            }
        }
    }

    @Test
    @Semantics("P-54")
    void shouldDeliverWhatChangedAndTellTheRestAfterAReconnect() {
        Publisher publisher = driven(Publisher.attach(server().worker(), publisherOptions()));
        PubSubGate gate = new PubSubGate(server(), publisher);
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastValues(10, 64)));
        for (int key = 0; key < 3; key++) {
            publishKeyed(topic, key);
        }
        Subscriber subscriber = subscriber(client(), gate.address(), subscriberOptions());
        TopicRecorder recorder = snapshotRecorder();
        joinSnapshot(subscriber, recorder);
        until(() -> recorder.snapshots().size() == 1, "the snapshot");
        subscriber.pause();
        gate.sever();
        until(() -> topic.subscriberCount() == 0, "the connection to end");
        publishKeyed(topic, 1); // 4
        publishKeyed(topic, 2); // 5
        publishKeyed(topic, 1); // 6
        publishKeyed(topic, 8); // 7
        subscriber.resume();
        until(() -> recorder.snapshots().size() == 2, "the second snapshot");
        publishKeyed(topic, 0);
        until(() -> recorder.last() == 8, "the stream");
        assertEquals(List.of(1L, 2L, 3L, 5L, 6L, 7L, 8L), recorder.sequences());
        assertEquals(List.of(new TopicRecorder.Gap(4, 4, GapCause.DISCONNECTED)), recorder.gaps());
        assertEquals(List.of(3, 3), recorder.snapshots());
    }

    @Test
    @Semantics("P-85")
    void shouldTellWhatWasMissedSinceAJoinWhoseSnapshotDidNotArrive() {
        Publisher publisher = driven(Publisher.attach(server().worker(), publisherOptions()));
        PubSubGate gate = new PubSubGate(server(), publisher);
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(8, 64)));
        publishMany(topic, 7, 20, 64);
        Subscriber subscriber = subscriber(client(), gate.address(), subscriberOptions());
        TopicRecorder recorder = new TopicRecorder(7).withSnapshot();
        subscribe(subscriber, "values", FROM_SNAPSHOT, recorder);
        until(() -> recorder.joins().size() == 1, "the join");
        subscriber.pause();
        gate.sever();
        until(() -> topic.subscriberCount() == 0 && !subscriber.connected(), "the connection to end");
        publishMany(topic, 7, 20, 64);
        subscriber.resume();
        until(() -> recorder.snapshots().size() == 1, "the snapshot of the second join");
        publishMany(topic, 7, 1, 64);
        until(() -> recorder.last() == 41, "the stream");
        assertEquals(List.of(21L, 41L), recorder.joins());
        assertEquals(List.of(new TopicRecorder.Gap(21, 32, GapCause.DISCONNECTED)), recorder.gaps());
        assertEquals(LongStream.rangeClosed(33, 41).boxed().toList(), recorder.sequences());
    }

    @Test
    @Semantics("P-55")
    void shouldRefuseASnapshotWhereThereIsNone() {
        Publisher publisher = publisher();
        publisher.topic("values");
        TopicRecorder recorder = snapshotRecorder();
        subscribe(subscriber(publisher), "values", FROM_SNAPSHOT, recorder);
        until(() -> !recorder.ends().isEmpty(), "the refusal");
        assertEquals(Reason.REFUSED, recorder.ends().getFirst().reason());
        assertTrue(String.valueOf(recorder.ends().getFirst().getMessage()).contains("withSnapshot"));
    }

    @Test
    @Semantics("P-56")
    void shouldRefuseASnapshotThatIsTooLarge() {
        Publisher publisher = publisher();
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(1000, 64)));
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder recorder = snapshotRecorder();
        subscribe(subscriber, "values", FROM_SNAPSHOT.withSnapshotMax(100_000), recorder);
        until(() -> !recorder.ends().isEmpty(), "the end");
        assertEquals(Reason.UNSUPPORTED, recorder.ends().getFirst().reason());
        assertTrue(String.valueOf(recorder.ends().getFirst().getMessage()).contains("snapshotMax=100000"));
        until(() -> topic.subscriberCount() == 0, "the publisher to know");
        TopicRecorder other = recorder(7);
        join(subscriber, "values", other);
        publishMany(topic, 7, 10, 64);
        until(() -> other.count() == 10, "a subscription without it");
    }

    @Test
    @Semantics("P-57")
    void shouldHoldMessagesToTheSnapshotsRules() {
        Publisher publisher = publisher();
        MemorySegment buffer = buffer(65);
        Topic keyed =
                publisher.topic("keyed", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastValues(10, 64)));
        assertThrows(IllegalStateException.class, () -> keyed.publish(buffer, 0, 8));
        assertThrows(IllegalArgumentException.class, () -> keyed.publish(1, buffer, 0, 65));
        assertEquals(1, keyed.publish(1, buffer, 0, 64));
        Topic plain =
                publisher.topic("plain", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(10, 64)));
        assertThrows(IllegalStateException.class, () -> plain.publish(1, buffer, 0, 8));
        assertEquals(1, plain.publish(buffer, 0, 64));
    }

    @Test
    @Semantics("P-58")
    void shouldReadASnapshotOfManyPieces() {
        Publisher publisher = publisher();
        int entries = 10_000;
        Topic topic = publisher.topic(
                "values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(entries, 1000)));
        publishMany(topic, 7, entries + 5, 1000);
        TopicRecorder recorder = snapshotRecorder();
        joinSnapshot(subscriber(publisher), recorder);
        until(() -> !recorder.snapshots().isEmpty(), "the snapshot");
        assertEquals(LongStream.rangeClosed(6, entries + 5).boxed().toList(), recorder.sequences());
    }

    @Test
    @Semantics("P-96")
    void shouldStopInASnapshotWhoseHandlerPauses() {
        Publisher publisher = publisher();
        Topic topic =
                publisher.topic("values", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(10, 64)));
        publishMany(topic, 7, 10, 64);
        TopicRecorder recorder = snapshotRecorder();
        Subscriber subscriber = subscriber(publisher);
        PausingRecorder pausing = subscribePausing(subscriber, "values", FROM_SNAPSHOT, recorder);
        int resumptions = resumeUntil(subscriber, () -> !recorder.snapshots().isEmpty(), "the snapshot");
        assertEquals(List.of(10), recorder.snapshots());
        assertEquals(11, resumptions, "after the join and after each message");
        publishMany(topic, 7, 1, 64);
        resumeUntil(subscriber, () -> recorder.last() == 11, "the stream");
        assertEquals(0, pausing.callsWhilePaused().value());
    }
}
