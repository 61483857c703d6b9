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
import io.fairlead.node.NodeKeys;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.TopicOptions;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Publishing from any thread: order, memory, back-pressure, pauses. */
public class NodePubSubContract extends NodePubSubCases {
    private static final int THREADS = 8;
    private static final int EACH = 500;

    /** Creates the suite. */
    protected NodePubSubContract() {}

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
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMillis(500));
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
    @Semantics("P-100")
    void shouldDeliverTheFirstMessageAfterTheJoin() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        NodeSubscriber subscriber = subscriber(publisher);
        for (long i = 0; i < 20; i++) {
            BlockingQueue<Long> words = new LinkedBlockingQueue<>();
            Subscription subscription = join(subscriber, "numbers", words);
            get(topic.publish(word(i)));
            assertEquals(i, next(words));
            subscription.close();
            assertSame(subscription, get(subscription.joined()));
        }
    }

    @Test
    @Semantics("P-100")
    void shouldFailToJoinWithTheCause() {
        NodePublisher publisher = publisher();
        get(publisher.topic("numbers"));
        NodeSubscriber subscriber = subscriber(publisher);
        Subscription unknown = get(subscriber.subscribe(
                "letters",
                SubscriptionOptions.defaults().withTopicTimeout(Duration.ZERO),
                (name, sequence, buffer, offset, length) -> {},
                SubscriptionEvents.NONE));
        assertEquals(Reason.REFUSED, failureOf(unknown.joined()).reason());
        Subscription waiting = get(subscriber.subscribe("letters", (name, sequence, buffer, offset, length) -> {}));
        assertFalse(waiting.joined().isDone(), "the topic may still come");
        clientNode().close();
        assertEquals(Reason.CLOSED, failureOf(waiting.joined()).reason());
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
}
