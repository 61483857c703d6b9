package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.node.Node;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Ends of publishers, subscribers and topics of a node: closing, draining, what is kept. */
public class NodePubSubEndContract extends NodePubSubCases {
    private static final int SUBSCRIBERS = 200;

    /** Creates the suite. */
    protected NodePubSubEndContract() {}

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
