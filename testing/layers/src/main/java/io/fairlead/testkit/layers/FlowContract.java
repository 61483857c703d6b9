package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The messages of a topic as a flow: its signals and its demand. */
public class FlowContract extends FlowCases {
    /** Creates the suite. */
    protected FlowContract() {}

    @Test
    @Semantics("P-60")
    void shouldHoldThePublisherUpWithoutDemand() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        int count = 5000;
        AtomicReference<List<CompletableFuture<Long>>> sent = new AtomicReference<>(List.of());
        Thread publishing = Thread.startVirtualThread(() -> sent.set(publish(topic, count)));
        long bound = (4096 + 8192 + 3 * 1024) / 24;
        awaitTrue(() -> topic.sequence() > 4096 / 24, "the window to be full");
        // One at a time: the publisher sends as much as each one frees capacity for, and no more.
        for (long i = 0; i < count; i++) {
            assertEquals(i, recorder.count());
            assertTrue(topic.sequence() <= i + bound, () -> "sequence=" + topic.sequence() + ", bound=" + bound);
            recorder.subscription().request(1);
            assertEquals(i, recorder.next());
        }
        awaitTrue(() -> !publishing.isAlive(), "the publisher");
        for (CompletableFuture<Long> each : Objects.requireNonNull(sent.get())) {
            get(each);
        }
        recorder.subscription().cancel();
        assertNothingLeft(topic);
        assertFalse(recorder.isEnded());
        recorder.assertCorrect();
    }

    @Test
    @Semantics("P-60")
    void shouldDeliverWhateverIsRequested() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        NodeSubscriber subscriber = subscriber(publisher);
        FlowRecorder<Long> all = join(words(subscriber), topic, new FlowRecorder<>(Long.MAX_VALUE));
        FlowRecorder<Long> more = join(words(subscriber), topic, new FlowRecorder<>(1, (subscription, _) -> {
            subscription.request(Long.MAX_VALUE);
            subscription.request(Long.MAX_VALUE);
        }));
        FlowRecorder<Long> byOne =
                join(words(subscriber), topic, new FlowRecorder<>(1, (subscription, _) -> subscription.request(1)));
        List<CompletableFuture<Long>> _ = publish(topic, 3000);
        for (long i = 0; i < 3000; i++) {
            assertEquals(i, all.next());
            assertEquals(i, more.next());
            assertEquals(i, byOne.next());
        }
        List.of(all, more, byOne).forEach(FlowRecorder::assertCorrect);
    }

    @Test
    @Semantics("P-60")
    void shouldWaitForDemandForLongMessagesToo() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic(
                "words", TopicOptions.defaults().withBatchBytes(1024).withMessageMax(300_000)));
        Flow.Publisher<Long> lengths =
                subscriber(publisher).flow("words", SMALL_WINDOW, FlowOptions.defaults(), MemorySegment::byteSize);
        FlowRecorder<Long> recorder = join(lengths, topic, new FlowRecorder<>(0));
        List<Integer> sizes = List.of(0, 300_000, 10, 299_999, 100_000);
        sizes.forEach(size -> {
            CompletableFuture<Long> _ = topic.publish(new byte[size]);
        });
        for (int size : sizes) {
            assertEquals(0, recorder.untaken());
            recorder.subscription().request(1);
            assertEquals(size, recorder.next());
        }
    }

    @Test
    @Semantics("P-60")
    void shouldWaitForDemandForASnapshotToo() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL.withSnapshot(SnapshotOptions.lastMessages(64, 8))));
        for (long i = 0; i < 64; i++) {
            get(topic.publish(word(i)));
        }
        FlowRecorder<Long> recorder = new FlowRecorder<>(0);
        subscriber(publisher)
                .flow("words", SMALL_WINDOW.withStartAt(StartAt.SNAPSHOT), FlowOptions.defaults(), WORD)
                .subscribe(recorder);
        recorder.subscription().request(1);
        assertEquals(0, recorder.next());
        // The snapshot has been read, so that nothing of it is overwritten any more.
        List<CompletableFuture<Long>> _ = publish(topic, 64);
        for (long i = 1; i < 128; i++) {
            assertEquals(i, recorder.count());
            recorder.subscription().request(1);
            assertEquals(i % 64, recorder.next());
        }
        recorder.assertCorrect();
    }

    @Test
    @Semantics("P-61")
    void shouldSignalOneAtATimeOnTheExecutor() throws InterruptedException {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        AtomicInteger number = new AtomicInteger();
        try (ExecutorService executor =
                Executors.newFixedThreadPool(4, task -> new Thread(task, "signals-" + number.incrementAndGet()))) {
            FlowOptions options = FlowOptions.defaults().withExecutor(executor).withElementsMax(3);
            FlowRecorder<Long> recorder = join(
                    subscriber(publisher).flow("words", SMALL_WINDOW, options, WORD), topic, new FlowRecorder<>(0));
            List<Thread> asking = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                asking.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < 1000; i++) {
                        recorder.subscription().request(1);
                    }
                }));
            }
            List<CompletableFuture<Long>> _ = publish(topic, 4000);
            for (long i = 0; i < 4000; i++) {
                assertEquals(i, recorder.next());
            }
            for (Thread thread : asking) {
                thread.join();
            }
            CompletableFuture<Void> _ = topic.close();
            assertSame(FlowRecorder.COMPLETE, recorder.end());
            recorder.assertCorrect();
            recorder.threads().forEach(name -> assertTrue(name.startsWith("signals-"), name));
        }
    }

    @Test
    @Semantics("P-61")
    void shouldSignalInsideTheCallOfADirectExecutorWithoutRecursion() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        AtomicInteger deepest = new AtomicInteger();
        FlowRecorder<Long> recorder = join(
                subscriber(publisher)
                        .flow("words", SMALL_WINDOW, FlowOptions.defaults().withExecutor(Runnable::run), WORD),
                topic,
                new FlowRecorder<>(1, (subscription, _) -> {
                    subscription.request(1);
                    deepest.accumulateAndGet(Thread.currentThread().getStackTrace().length, Math::max);
                }));
        List<CompletableFuture<Long>> _ = publish(topic, 2000);
        for (long i = 0; i < 2000; i++) {
            assertEquals(i, recorder.next());
        }
        recorder.assertCorrect();
        assertTrue(deepest.get() < 200, () -> "frames=" + deepest.get());
    }

    @Test
    @Semantics("P-63")
    void shouldSignalNothingAfterItIsCancelled() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        NodeSubscriber subscriber = subscriber(publisher);
        FlowRecorder<Long> inside = join(words(subscriber), topic, new FlowRecorder<>(100, (subscription, element) -> {
            if (element == 2) {
                subscription.cancel();
                subscription.request(100);
                subscription.request(-1);
            }
        }));
        FlowRecorder<Long> idle = join(words(subscriber), topic, new FlowRecorder<>(0));
        FlowRecorder<Long> witness = join(words(subscriber), topic, new FlowRecorder<>(Long.MAX_VALUE));
        idle.subscription().cancel();
        idle.subscription().cancel();
        List<CompletableFuture<Long>> _ = publish(topic, 3000);
        for (long i = 0; i < 3000; i++) {
            assertEquals(i, witness.next());
        }
        awaitSubscribers(topic, 1);
        assertEquals(3, inside.count());
        assertEquals(0, idle.count());
        assertFalse(inside.isEnded() || idle.isEnded());
        witness.subscription().cancel();
        assertNothingLeft(topic);
        List.of(inside, idle, witness).forEach(FlowRecorder::assertCorrect);
    }

    @Test
    @Semantics("P-65")
    void shouldHoldUpNoOtherSubscriberOfTheConnection() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        NodeTopic other = get(publisher.topic("others"));
        NodeSubscriber subscriber = subscriber(publisher);
        FlowRecorder<Long> idle = join(words(subscriber), topic, new FlowRecorder<>(0));
        FlowRecorder<Long> others = join(subscriber.flow("others", WORD), other, new FlowRecorder<>(Long.MAX_VALUE));
        List<CompletableFuture<Long>> sent = publish(topic, 900);
        List<CompletableFuture<Long>> _ = publish(other, 900);
        for (long i = 0; i < 900; i++) {
            assertEquals(i, others.next());
        }
        assertFalse(sent.getLast().isDone(), "the idle one holds up its own topic");
        idle.subscription().cancel();
        sent.forEach(NodeCases::get);
    }
}
