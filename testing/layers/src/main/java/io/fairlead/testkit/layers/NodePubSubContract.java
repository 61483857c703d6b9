package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.PubSubStatistics;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.contract.LiveObjects;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Publishers and subscribers on nodes: calls from any thread, and a worker that they share with others. */
public class NodePubSubContract extends NodeCases {
    private static final int THREADS = 8;
    private static final int EACH = 500;
    private static final long MANY = 2000;
    private static final long DEADLINE_S = 60;
    private static final int SUBSCRIBERS = 200;

    /** Creates the suite. */
    protected NodePubSubContract() {}

    private NodePublisher publisher(PublisherOptions options) {
        return closeLater(get(NodePublisher.listen(serverNode(), loopback(), options)));
    }

    private NodePublisher publisher() {
        return publisher(PublisherOptions.defaults().withDrainTimeout(Duration.ofMillis(20)));
    }

    private NodeSubscriber subscriber(NodePublisher publisher) {
        return closeLater(get(NodeSubscriber.connect(clientNode(), publisher.address())));
    }

    /** Subscribes, and waits until messages flow. */
    private static Subscription join(NodeSubscriber subscriber, String topic, BlockingQueue<Long> words) {
        CountDownLatch joined = new CountDownLatch(1);
        Subscription subscription = get(subscriber.subscribe(
                topic,
                SubscriptionOptions.defaults(),
                (name, sequence, buffer, offset, length) ->
                        words.add(buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)),
                new SubscriptionEvents() {
                    @Override
                    public void joined(Subscription joining, long nextSequence) {
                        joined.countDown();
                    }
                }));
        await(joined, "the join");
        return subscription;
    }

    private static byte[] word(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(value)
                .array();
    }

    private static long next(BlockingQueue<Long> words) {
        try {
            Long word = words.poll(DEADLINE_S, TimeUnit.SECONDS);
            if (word == null) {
                throw new AssertionError("waited " + DEADLINE_S + " s for a message");
            }
            return word;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    @Semantics("P-92")
    void shouldPublishFromAnyThreadInTheOrderOfEachThread() throws InterruptedException {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        join(subscriber(publisher), "numbers", words);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            long number = t;
            threads.add(Thread.startVirtualThread(() -> {
                for (int i = 0; i < EACH; i++) {
                    CompletableFuture<Long> _ = topic.publish(word(number << 32 | i));
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Map<Long, Long> last = new HashMap<>();
        for (int i = 0; i < THREADS * EACH; i++) {
            long word = next(words);
            long before = last.getOrDefault(word >> 32, -1L);
            assertEquals(before + 1, word & 0xFFFF_FFFFL, "thread " + (word >> 32));
            last.put(word >> 32, word & 0xFFFF_FFFFL);
        }
        assertEquals(THREADS * EACH, topic.sequence());
    }

    @Test
    @Semantics("P-92")
    void shouldTakeMemoryThatIsReusedAtOnce() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        join(subscriber(publisher), "numbers", words);
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment message = confined.allocate(ValueLayout.JAVA_LONG);
            for (long i = 1; i <= 100; i++) {
                message.set(ValueLayout.JAVA_LONG, 0, i);
                CompletableFuture<Long> _ = topic.publish(message);
            }
            message.fill((byte) -1);
        }
        for (long i = 1; i <= 100; i++) {
            assertEquals(i, next(words));
        }
    }

    @Test
    @Semantics("P-93")
    void shouldWaitForASlowSubscriberUnderWait() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic(
                "numbers", TopicOptions.defaults().withBatchBytes(1024).withBacklogBytes(64 << 10)));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        NodeSubscriber subscriber = subscriber(publisher);
        CountDownLatch joined = new CountDownLatch(1);
        Subscription subscription = get(subscriber.subscribe(
                "numbers",
                SubscriptionOptions.defaults().withWindowBytes(4096),
                (name, sequence, buffer, offset, length) -> words.add(sequence),
                new SubscriptionEvents() {
                    @Override
                    public void joined(Subscription joining, long nextSequence) {
                        joined.countDown();
                    }
                }));
        await(joined, "the join");
        get(subscriber.pause());
        List<CompletableFuture<Long>> sent = new ArrayList<>();
        byte[] message = new byte[500];
        for (int i = 0; i < 1000; i++) {
            sent.add(topic.publish(message));
        }
        assertFalse(sent.getLast().isDone(), "there is no room for it");
        get(subscriber.resume());
        for (int i = 0; i < 1000; i++) {
            assertEquals(Long.valueOf(i + 1), get(sent.get(i)));
            assertEquals(i + 1, next(words));
        }
        assertEquals(0, subscription.missed());
    }

    @Test
    @Semantics("P-93")
    void shouldBoundTheBytesThatWaitToBePublished() {
        configure(NodeKeys.QUEUE_BYTES, 1 << 20);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMillis(20));
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("slow", TopicOptions.defaults().withBacklogBytes(1 << 20)));
        NodeTopic other = get(publisher.topic("other"));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        NodeSubscriber subscriber = subscriber(publisher);
        join(subscriber, "slow", words);
        get(subscriber.pause());
        int length = 1 << 16;
        List<CompletableFuture<Long>> sent = new ArrayList<>();
        CompletableFuture<Long> last;
        do {
            last = topic.publish(new byte[length]);
            sent.add(last);
        } while (!last.isCompletedExceptionally());
        assertEquals(Status.BACK_PRESSURE, failureOf(last).status().orElseThrow());
        sent.removeLast();
        long waiting = sent.stream().filter(future -> !future.isDone()).count();
        assertTrue(waiting <= 4, () -> "more bytes wait than a topic may have: messages=" + waiting);
        // Nobody subscribes to the other topic, and its messages do not wait behind those.
        get(other.publish(new byte[length]));
        get(subscriber.resume());
        for (CompletableFuture<Long> future : sent) {
            get(future);
            next(words);
        }
        get(topic.publish(new byte[2 * length]));
    }

    @Test
    @Semantics("P-93")
    void shouldFailMessagesWithoutRoomUnderFail() {
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic(
                "numbers", TopicOptions.defaults().withBatchBytes(1024).withBacklogBytes(64 << 10)));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        NodeSubscriber subscriber = subscriber(publisher);
        join(subscriber, "numbers", words);
        get(subscriber.pause());
        FairleadException refused = null;
        for (int i = 0; refused == null && i < 1_000_000; i++) {
            CompletableFuture<Long> sent = topic.publish(new byte[500]);
            FairleadException failure = (FairleadException) get(sent.handle(
                    (_, thrown) -> thrown == null || thrown instanceof FairleadException ? thrown : thrown.getCause()));
            refused = failure;
        }
        assertTrue(refused != null, "every message found room");
        assertEquals(Status.BACK_PRESSURE, refused.status().orElseThrow());
    }

    @Test
    @Semantics("P-94")
    void shouldLeaveMessagesOfPeersAndTopicsToThoseTheyAreFor() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        // Receives of any source and tag that wait on both nodes while topics join, flow and end.
        CompletableFuture<Message> anyOfServer = serverNode().receive(0, 0, 1 << 20);
        CompletableFuture<Message> anyOfClient = clientNode().receive(0, 0, 1 << 20);
        Subscription subscription = join(subscriber(publisher), "numbers", words);
        byte[] large = new byte[300_000];
        ByteBuffer.wrap(large).order(ByteOrder.nativeOrder()).putLong(7);
        get(topic.publish(large));
        assertEquals(7, next(words));
        for (long i = 0; i < 1000; i++) {
            get(topic.publish(word(i)));
        }
        for (long i = 0; i < 1000; i++) {
            assertEquals(i, next(words));
        }
        subscription.close();
        assertFalse(anyOfServer.isDone());
        assertFalse(anyOfClient.isDone());
        Peers peers = connectNodes();
        get(peers.client().send(word(1), 5));
        get(peers.server().send(word(2), 6));
        assertArrayEquals(word(1), get(anyOfServer).bytes());
        assertArrayEquals(word(2), get(anyOfClient).bytes());
    }

    @Test
    @Semantics("P-95")
    void shouldSendWhatWasPublishedBeforeItClosed() {
        NodePublisher publisher = publisher(PublisherOptions.defaults().withDrainTimeout(Duration.ofSeconds(30)));
        NodeTopic topic = get(publisher.topic("numbers"));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        join(subscriber(publisher), "numbers", words);
        for (long i = 0; i < 1000; i++) {
            CompletableFuture<Long> _ = topic.publish(word(i));
        }
        publisher.close();
        publisher.close();
        for (long i = 0; i < 1000; i++) {
            assertEquals(i, next(words));
        }
        assertEquals(Reason.CLOSED, failureOf(topic.publish(word(1))).reason());
    }

    @Test
    @Semantics("P-95")
    void shouldEndWithItsNode() {
        Node node = startNode("short-lived");
        NodePublisher publisher = get(NodePublisher.listen(node, loopback()));
        NodeTopic topic = get(publisher.topic("numbers"));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        Node other = startNode("short-lived too");
        NodeSubscriber subscriber = get(NodeSubscriber.connect(other, publisher.address()));
        Subscription subscription = join(subscriber, "numbers", words);
        other.close();
        assertEquals(SubscriptionState.CLOSED, subscription.state());
        subscription.close();
        subscriber.close();
        node.close();
        assertEquals(Reason.CLOSED, failureOf(topic.publish(word(1))).reason());
        assertEquals(Reason.CLOSED, failureOf(publisher.topic("more")).reason());
        publisher.close();
    }

    /** Publishes enough for several batches, and waits until another subscriber of the node that is closed in has them all. */
    private void publishMany(NodePublisher publisher, NodeTopic topic) {
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        NodeSubscriber witness = subscriber(publisher);
        join(witness, topic.name(), words);
        for (long i = 0; i < MANY; i++) {
            CompletableFuture<Long> _ = topic.publish(word(i));
        }
        for (long i = 0; i < MANY; i++) {
            assertEquals(i, next(words));
        }
    }

    private void closeInAHandler(Node node, BiConsumer<NodeSubscriber, Subscription> close) {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        NodeSubscriber subscriber = closeLater(get(NodeSubscriber.connect(node, publisher.address())));
        CompletableFuture<Subscription> itself = new CompletableFuture<>();
        CompletableFuture<Subscription> told = new CompletableFuture<>();
        AtomicInteger messages = new AtomicInteger();
        SubscriptionEvents events = new SubscriptionEvents() {
            @Override
            public void joined(Subscription joining, long nextSequence) {
                told.complete(joining);
            }
        };
        Subscription subscription = get(subscriber.subscribe(
                "numbers",
                SubscriptionOptions.defaults(),
                (name, sequence, buffer, offset, length) -> {
                    if (messages.incrementAndGet() == 3) {
                        close.accept(subscriber, itself.join());
                    }
                },
                events));
        itself.complete(subscription);
        get(told);
        publishMany(publisher, topic);
        awaitTrue(() -> topic.subscriberCount() == 1, "the subscriber to have left");
        assertEquals(3, messages.get());
        assertEquals(SubscriptionState.CLOSED, subscription.state());
        assertSame(subscription, get(told), "events tell of the subscription that any thread may close");
        get(publisher.startClose());
    }

    @Test
    @Semantics("P-12")
    void shouldCallNoHandlerAfterItHasClosed() {
        List<BiConsumer<NodeSubscriber, Subscription>> closes = List.of(
                (_, subscription) -> subscription.close(), (subscriber, _) -> subscriber.close(), (subscriber, _) -> {
                    CompletableFuture<Void> _ = subscriber.startClose();
                });
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                Node withExecutor = startNode("with an executor", executor)) {
            for (BiConsumer<NodeSubscriber, Subscription> close : closes) {
                closeInAHandler(clientNode(), close);
                closeInAHandler(withExecutor, close);
            }
        }
    }

    @Test
    @Semantics("P-12")
    void shouldCloseOnTheProgressThreadOfAnotherNode() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        NodeSubscriber subscriber = subscriber(publisher);
        Subscription subscription = join(subscriber, "numbers", new LinkedBlockingQueue<>());
        get(serverNode().workerThread().call(_ -> {
            subscription.close();
            subscriber.close();
            return true;
        }));
        awaitTrue(() -> topic.subscriberCount() == 0, "the subscriber to have left");
        assertEquals(SubscriptionState.CLOSED, subscription.state());
    }

    @Test
    @Semantics("P-96")
    void shouldStopAtTheMessageWhoseHandlerPauses() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        NodeSubscriber subscriber = subscriber(publisher);
        AtomicInteger messages = new AtomicInteger();
        BlockingQueue<Boolean> paused = new LinkedBlockingQueue<>();
        CountDownLatch joined = new CountDownLatch(1);
        CompletableFuture<Subscription> _ = subscriber.subscribe(
                "numbers",
                SubscriptionOptions.defaults(),
                (name, sequence, buffer, offset, length) -> {
                    if (messages.incrementAndGet() == 3) {
                        paused.add(subscriber.pause().isDone());
                    }
                },
                new SubscriptionEvents() {
                    @Override
                    public void joined(Subscription joining, long nextSequence) {
                        joined.countDown();
                    }
                });
        await(joined, "the join");
        publishMany(publisher, topic);
        get(subscriber.path());
        assertEquals(3, messages.get());
        assertEquals(List.of(true), List.copyOf(paused), "it acts at once");
        get(subscriber.resume());
        awaitTrue(() -> messages.get() == MANY, "the rest");
    }

    private static void awaitTrue(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "waited in vain for " + what);
            LockSupport.parkNanos(100_000);
        }
    }

    @Test
    @Semantics("P-97")
    void shouldLoseNothingInATopicThatWasDrained() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic(
                "numbers", TopicOptions.defaults().withBacklogBytes(64 << 10).withBatchBytes(1024)));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        NodeSubscriber subscriber = subscriber(publisher);
        join(subscriber, "numbers", words);
        get(topic.drain());
        get(subscriber.pause());
        byte[] message = new byte[4096];
        List<CompletableFuture<Long>> published = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            published.add(topic.publish(message));
        }
        CompletableFuture<Void> drained = topic.drain();
        assertFalse(published.getLast().isDone(), "there is no room for it");
        assertFalse(drained.isDone());
        get(subscriber.resume());
        get(drained);
        assertTrue(published.getLast().isDone());
        get(topic.close());
        get(topic.drain());
        for (int i = 0; i < 1000; i++) {
            next(words);
        }
        assertEquals(
                0,
                PubSubStatistics.of(serverNode().context()).value(PubSubCounter.MESSAGES_DROPPED),
                "left by the close");
    }

    @Test
    @Semantics("P-97")
    void shouldFailToDrainATopicThatClosesBefore() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic(
                "numbers", TopicOptions.defaults().withBatchBytes(1024).withBacklogBytes(64 << 10)));
        NodeSubscriber subscriber = subscriber(publisher);
        join(subscriber, "numbers", new LinkedBlockingQueue<>());
        get(subscriber.pause());
        // The subscriber's window holds 1,024 batches, of one message each; the others wait in the backlog.
        for (int i = 0; i < 1024 + 40; i++) {
            CompletableFuture<Long> _ = topic.publish(new byte[500]);
        }
        CompletableFuture<Void> drained = topic.drain();
        assertFalse(drained.isDone());
        get(topic.close());
        assertEquals(Reason.CLOSED, failureOf(drained).reason());
        assertEquals(Reason.CLOSED, failureOf(topic.drain()).reason());
        assertTrue(PubSubStatistics.of(serverNode().context()).value(PubSubCounter.MESSAGES_DROPPED) > 0);
    }

    @Test
    @Semantics("P-97")
    void shouldDrainTopicsOfAClosedPublisher() {
        NodePublisher publisher = publisher();
        NodeTopic sent = get(publisher.topic("sent"));
        NodeTopic unsent = get(publisher.topic(
                "unsent", TopicOptions.defaults().withBatchBytes(1024).withBacklogBytes(64 << 10)));
        NodeSubscriber subscriber = subscriber(publisher);
        join(subscriber, "unsent", new LinkedBlockingQueue<>());
        get(subscriber.pause());
        // The subscriber's window holds 1,024 batches, of one message each; the others wait in the backlog.
        for (int i = 0; i < 1024 + 40; i++) {
            CompletableFuture<Long> _ = unsent.publish(new byte[500]);
        }
        CompletableFuture<Void> before = unsent.drain();
        publisher.close();
        assertEquals(Reason.CLOSED, failureOf(before).reason());
        // As after the close of the topic alone: what counts is what was sent by then.
        for (int i = 0; i < 2; i++) {
            get(sent.drain());
            assertEquals(Reason.CLOSED, failureOf(unsent.drain()).reason());
        }
    }

    @Test
    @Semantics("P-95")
    void shouldMakeNoTopicOfAClosedPublisher() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        publisher.close();
        assertEquals(Status.CLOSED, failureOf(topic.publish(word(1))).status().orElseThrow());
        assertEquals(Status.CLOSED, failureOf(publisher.topic("more")).status().orElseThrow());
    }

    @Test
    @Semantics("P-95")
    void shouldSubscribeToNothingWithAClosedSubscriber() {
        NodePublisher publisher = publisher();
        NodeTopic _ = get(publisher.topic("numbers"));
        NodeSubscriber subscriber = subscriber(publisher);
        subscriber.close();
        FairleadException failure = failureOf(subscriber.subscribe("numbers", (_, _, _, _, _) -> {}));
        assertEquals(Reason.CLOSED, failure.reason());
        assertEquals(Status.CLOSED, failure.status().orElseThrow());
        assertMentions("topic=numbers", failure);
        get(subscriber.pause());
        get(subscriber.resume());
        assertEquals(Optional.empty(), get(subscriber.path()));
        assertEquals(
                Reason.CLOSED,
                failureOf(subscriber.subscribe("numbers", (_, _, _, _, _) -> {}))
                        .reason());
    }

    @Test
    @Semantics("N-21")
    void shouldKeepNothingOfSubscribersThatEnded() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        LiveObjects.assertNothingLeftOf(SUBSCRIBERS, () -> {
            try (NodeSubscriber subscriber = get(NodeSubscriber.connect(clientNode(), publisher.address()))) {
                join(subscriber, "numbers", words);
                get(topic.publish(word(1)));
                next(words);
            }
        });
    }

    @Test
    @Semantics("N-21")
    void shouldKeepNothingOfSubscriptionsThatEnded() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        NodeSubscriber subscriber = subscriber(publisher);
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        LiveObjects.assertNothingLeftOf(SUBSCRIBERS, () -> {
            Subscription closing = join(subscriber, "numbers", words);
            get(topic.publish(word(1)));
            next(words);
            closing.close();
        });
    }

    @Test
    @Semantics("N-21")
    void shouldKeepNothingOfTopicsThatEnded() {
        NodePublisher publisher = publisher();
        NodeSubscriber subscriber = subscriber(publisher);
        BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        AtomicInteger round = new AtomicInteger();
        LiveObjects.assertNothingLeftOf(SUBSCRIBERS, () -> {
            String name = "numbers-" + round.getAndIncrement();
            NodeTopic topic = get(publisher.topic(name));
            Subscription subscription = join(subscriber, name, words);
            get(topic.publish(word(1)));
            next(words);
            subscription.close();
            get(topic.close());
        });
    }
}
