package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.Subscription;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What the suites of publishers and subscribers of a node share. */
abstract class NodePubSubCases extends NodeCases {
    static final long MANY = 2000;
    static final long DEADLINE_S = 60;

    final NodePublisher publisher(PublisherOptions options) {
        return closeLater(get(NodePublisher.listen(serverNode(), loopback(), options)));
    }

    final NodePublisher publisher() {
        return publisher(PublisherOptions.defaults().withDrainTimeout(Duration.ofMillis(20)));
    }

    final NodeSubscriber subscriber(NodePublisher publisher) {
        return closeLater(get(NodeSubscriber.connect(clientNode(), publisher.address())));
    }

    /** Subscribes, and waits until messages flow. */
    static Subscription join(NodeSubscriber subscriber, String topic, BlockingQueue<Long> words) {
        return get(subscriber
                .subscribe(
                        topic,
                        (name, sequence, buffer, offset, length) ->
                                words.add(buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)))
                .thenCompose(Subscription::joined));
    }

    static byte[] word(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(value)
                .array();
    }

    static long next(BlockingQueue<Long> words) {
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

    /** Publishes enough for several batches, and waits until another subscriber of the node that is closed in has them all. */
    final void publishMany(NodePublisher publisher, NodeTopic topic) {
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

    static void awaitTrue(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "waited in vain for " + what);
            LockSupport.parkNanos(100_000);
        }
    }
}
