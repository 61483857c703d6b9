package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.PublisherEvents;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberState;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.contract.Pair;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.Side;
import io.fairlead.testkit.internal.Thrown;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The beginning and the end of subscriptions, topics, subscribers and publishers, and their limits. */
public class PubSubLifecycleContract extends PubSubCases {
    private static final int MANY = 100_000;
    /** No case waits as long as this. */
    private static final Duration DRAIN = Duration.ofMinutes(1);

    /** Creates the suite. */
    protected PubSubLifecycleContract() {}

    @Test
    @Semantics("P-05")
    void shouldRefuseAnUnknownTopicAndNameTheKnown() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("prices");
        publisher.topic("events");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder known = recorder(7);
        join(subscriber, "prices", known);
        TopicRecorder unknown = recorder(7);
        SubscriptionOptions options = SubscriptionOptions.defaults().withTopicTimeout(Duration.ofMillis(50));
        Subscription subscription = subscribe(subscriber, "pricse", options, unknown);
        until(() -> !unknown.ends().isEmpty(), "the refusal");
        assertEquals(SubscriptionState.ENDED, subscription.state());
        assertEquals(Reason.REFUSED, unknown.ends().getFirst().reason());
        String message = String.valueOf(unknown.ends().getFirst().getMessage());
        assertTrue(message.contains("pricse") && message.contains("prices, events"), message);
        publishMany(topic, 7, 10, 8);
        until(() -> known.count() == 10, "messages of the known topic");
        assertEquals(0, subscriber.reconnects());
    }

    @Test
    @Semantics("P-07")
    void shouldStopAfterTheCloseOfASubscription() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder left = recorder(7);
        TopicRecorder stays = recorder(7);
        Subscription subscription = join(subscriber, "numbers", left);
        join(subscriber, "numbers", stays);
        // Batches, large messages and the unsubscription are on their way at once, and none may be left unmatched.
        publishMany(topic, 7, 100, 30_000);
        publishMany(topic, 7, 3, 100_000);
        subscription.close();
        subscription.close();
        int count = left.count();
        until(() -> topic.subscriberCount() == 1, "the publisher to know");
        publishMany(topic, 7, 100, 8);
        until(() -> stays.count() == 203, "the other subscription's messages");
        assertEquals(count, left.count());
        assertEquals(SubscriptionState.CLOSED, subscription.state());
        for (int i = 0; i < 5000; i++) {
            // More often than there are stream numbers, so that numbers and memory have to be used again.
            Subscription again = subscribe(subscriber, "numbers", recorder(7));
            if (i % 100 == 0) {
                awaitLive(again);
            }
            again.close();
            turn();
        }
        until(() -> topic.subscriberCount() == 1, "the publisher to know");
        publishMany(topic, 7, 1, 8);
        until(() -> stays.count() == 204, "the other subscription's messages");
    }

    @Test
    @Semantics({"P-07", "P-99", "F-07"})
    void shouldLeaveMessagesOfTheApplicationAloneWhenSubscribersComeAndGo() {
        requires(Capability.TAGGED);
        int mib = 1 << 20;
        configure(ConfigKeys.CREDIT_BYTES, 8 * mib);
        configure(ConfigKeys.EAGER_MAX, mib);
        Pair pair = connect(server(), client());
        completeOk(pair.client(), pair.client().send(pattern(200, 1), 1));
        MessageInfo info = client().worker().newMessageInfo();
        until(() -> client().worker().probe(1, Worker.FULL_TAG_MASK, info), "the message of the application");
        pair.client().endpoint().startClose();
        until(() -> client().events().ended(pair.server().endpoint()), "the end of its endpoint");

        Publisher publisher = publisher();
        Topic topic = publisher.topic("large", TopicOptions.defaults().withBatchBytes(8192));
        int length = mib - 64;
        MemorySegment large = buffer(length);
        for (int round = 0; round < 6; round++) {
            Subscriber subscriber = subscriber(publisher);
            awaitLive(subscribe(subscriber, "large", recorder(7)));
            subscriber.pause();
            for (int i = 0; i < 4; i++) {
                publish(topic, 7, large, length);
            }
            long sent = 4L * (round + 1);
            until(() -> topic.batchesSent() == sent, "the messages of the paused subscriber");
            turn();
            subscriber.close();
            until(() -> topic.subscribers().isEmpty(), "the publisher to forget the subscriber");
        }

        until(
                () -> client().worker().counters().value(Counter.UNEXPECTED_NOW) == 1,
                "the streams' messages to be dropped");
        assertTrue(client().worker().probe(1, Worker.FULL_TAG_MASK, info));
        MemorySegment target = buffer(200);
        assertEquals(
                Status.OK,
                complete(client(), client().receive(target, 1, Worker.FULL_TAG_MASK))
                        .status());
        Pattern.verify(target, 0, 200, 1);
    }

    @Test
    @Semantics("P-11")
    void shouldGoOnAfterAnExceptionOfAHandler() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        List<Long> seen = new ArrayList<>();
        Subscription subscription = subscriber.subscribe("numbers", (name, sequence, buffer, offset, length) -> {
            seen.add(sequence);
            if (sequence % 3 == 0) {
                throw new IllegalStateException("thrown by the case");
            }
        });
        awaitLive(subscription);
        publishMany(topic, 7, 9, 8);
        until(() -> seen.size() == 9, "all messages");
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L), seen);
        assertEquals(9, subscription.received());
    }

    @Test
    @Semantics({"P-11", "P-88"})
    void shouldServeOtherSubscriptionsInTheCallInWhichAHandlerThrows() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder well = recorder(7);
        join(subscriber, "numbers", well);
        List<Throwable> kinds = Thrown.kinds();
        List<Long> seen = new ArrayList<>();
        awaitLive(subscriber.subscribe("numbers", (name, sequence, buffer, offset, length) -> {
            seen.add(sequence);
            throw Thrown.sneak(kinds.get((int) sequence - 1));
        }));
        subscriber.pause();
        publishMany(topic, 7, kinds.size(), 8);
        untilIdle();
        subscriber.resume();
        client().progress();
        assertEquals(List.of(1L), seen);
        assertEquals(kinds.size(), well.count());
        until(() -> seen.size() == kinds.size(), "the messages after the one whose handler threw");
        assertEquals(List.of(1L, 2L, 3L), seen);
    }

    @Test
    @Semantics("P-88")
    void shouldGoOnWhateverEventsThrow() {
        Throwable thrown = Thrown.kinds().getFirst();
        List<String> told = new ArrayList<>();
        SubscriptionEvents events = new SubscriptionEvents() {
            @Override
            public void joined(Subscription subscription, long nextSequence) {
                told.add("joined " + nextSequence);
                throw Thrown.sneak(thrown);
            }

            @Override
            public void disconnected(Subscription subscription, FairleadException cause) {
                told.add("disconnected " + cause.reason());
                throw Thrown.sneak(thrown);
            }

            @Override
            public void ended(Subscription subscription, FairleadException cause) {
                told.add("ended " + cause.reason());
                throw Thrown.sneak(thrown);
            }
        };
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        List<Long> seen = new ArrayList<>();
        Subscriber subscriber = subscriber(publisher);
        subscriber.subscribe(
                "numbers",
                SubscriptionOptions.defaults().withTopicTimeout(Duration.ZERO),
                (name, sequence, buffer, offset, length) -> seen.add(sequence),
                events);
        until(
                () -> topic.subscribers().stream().anyMatch(s -> s.state() == SubscriberState.LIVE),
                "the subscriber to be live");
        publishMany(topic, 7, 3, 8);
        until(() -> seen.size() == 3, "the messages");
        topic.close();
        until(() -> told.contains("ended REFUSED"), "the end");
        assertEquals(List.of("joined 1", "disconnected CLOSED", "ended REFUSED"), told);
    }

    @Test
    @Semantics("P-89")
    void shouldClosePublisherWhateverItsEventsThrow() {
        Throwable thrown = Thrown.kinds().getFirst();
        List<String> told = new ArrayList<>();
        Publisher publisher = publisher(publisherOptions().withEvents(new PublisherEvents() {
            @Override
            public void joined(SubscriberStats subscriber) {
                told.add("joined " + subscriber.subscriber());
                throw Thrown.sneak(thrown);
            }

            @Override
            public void left(SubscriberStats subscriber, FairleadException cause) {
                told.add("left " + subscriber.subscriber());
                throw Thrown.sneak(thrown);
            }
        }));
        publisher.topic("numbers");
        Subscriber one =
                subscriber(client(), publisher.address(), subscriberOptions().withName("one"));
        TopicRecorder first = recorder(7);
        Subscription subscription = subscribe(one, "numbers", first);
        awaitLive(subscription);
        Subscription another = subscribe(one, "numbers", recorder(7));
        awaitLive(another);
        publisher.close();
        assertEquals(List.of("joined one", "joined one", "left one", "left one"), told);
        assertEquals(0, server().context().statistics().endpoints(transport().name(), EndpointState.CONNECTED));
        publisher.close();
        until(() -> !one.connected(), "the subscriber to know");
    }

    @Test
    @Semantics("P-90")
    void shouldCloseAPublisherInsideAnEventInLaterProgress() {
        List<Publisher> self = new ArrayList<>();
        Publisher publisher = publisher(publisherOptions().withEvents(new PublisherEvents() {
            @Override
            public void joined(SubscriberStats subscriber) {
                self.getFirst().close();
            }
        }));
        self.add(publisher);
        Topic topic = publisher.topic("numbers");
        TopicRecorder recorder = recorder(7);
        subscribe(subscriber(publisher), "numbers", recorder);
        until(() -> !recorder.disconnects().isEmpty(), "the end of the stream");
        assertEquals(Reason.CLOSED, recorder.disconnects().getFirst().reason());
        until(() -> topic.subscriberCount() == 0, "the publisher to know");
        assertThrows(IllegalStateException.class, () -> publisher.topic("more"));
        until(
                () -> server().context().statistics().endpoints(transport().name(), EndpointState.CONNECTED) == 0,
                "the connection to end");
    }

    @Test
    @Semantics("P-90")
    void shouldSendWhatWasPublishedBeforeACloseThatWasOnlyStarted() {
        Publisher publisher = publisher(publisherOptions().withDrainTimeout(DRAIN));
        Topic topic = publisher.topic("numbers");
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        publishMany(topic, 7, 1000, 40);
        publisher.startClose();
        until(() -> !recorder.disconnects().isEmpty(), "the end of the stream");
        assertEquals(1000, recorder.count());
    }

    @Test
    @Semantics("P-91")
    void shouldEndWithItsWorker() {
        Side publishing = newMortalSide("publishing");
        Publisher publisher = publisher(publishing, freePort(), publisherOptions());
        Topic topic = publisher.topic("numbers");
        Side subscribing = newMortalSide("subscribing");
        Subscriber subscriber = subscriber(subscribing, publisher.address(), subscriberOptions());
        Subscription subscription = join(subscriber, "numbers", recorder(7));
        subscribing.worker().close();
        assertEquals(SubscriptionState.CLOSED, subscription.state());
        assertThrows(IllegalStateException.class, () -> subscriber.subscribe("numbers", recorder(7)));
        publishing.worker().close();
        MemorySegment buffer = buffer(8);
        assertEquals(Endpoint.CLOSED, topic.publish(buffer, 0, 8));
        assertThrows(IllegalStateException.class, () -> publisher.topic("more"));
        kill(subscribing);
        kill(publishing);
        subscriber.close();
        publisher.close();
    }

    @Test
    @Semantics("P-12")
    void shouldPermitAHandlerToCloseWhatCalledIt() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        List<Subscription> self = new ArrayList<>();
        List<Long> seen = new ArrayList<>();
        self.add(subscriber.subscribe("numbers", (name, sequence, buffer, offset, length) -> {
            seen.add(sequence);
            self.getFirst().close();
        }));
        awaitLive(self.getFirst());
        Subscriber other = subscriber(publisher);
        Subscription last = other.subscribe("numbers", (name, sequence, buffer, offset, length) -> {
            seen.add(sequence);
            if (sequence == 5) {
                other.close();
            }
        });
        awaitLive(last);
        publishMany(topic, 7, 10, 8);
        until(() -> topic.subscriberCount() == 0, "both to have left");
        assertEquals(List.of(1L, 1L, 2L, 3L, 4L, 5L), seen.stream().sorted().toList());
        assertEquals(SubscriptionState.CLOSED, last.state());
        assertThrows(IllegalStateException.class, () -> other.subscribe("numbers", recorder(7)));
    }

    @Test
    @Semantics("P-13")
    void shouldRefuseProgressInsideAHandler() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        List<Class<?>> thrown = new ArrayList<>();
        awaitLive(subscriber.subscribe(
                "numbers",
                (name, sequence, buffer, offset, length) ->
                        thrown.add(assertThrows(IllegalStateException.class, client().worker()::progress)
                                .getClass())));
        publishMany(topic, 7, 1, 8);
        until(() -> thrown.size() == 1, "the message");
    }

    @Test
    @Semantics("P-14")
    void shouldDeliverWhatWasPublishedBeforeTheCloseOfThePublisher() throws InterruptedException {
        AtomicReference<@Nullable InetSocketAddress> address = new AtomicReference<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                publishAndClose(address);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        thread.start();
        try {
            until(() -> address.get() != null || failure.get() != null, "the publisher");
            TopicRecorder recorder = recorder(7);
            Subscription subscription = subscribe(
                    subscriber(client(), Objects.requireNonNull(address.get()), subscriberOptions()),
                    "numbers",
                    recorder);
            until(() -> !recorder.disconnects().isEmpty(), "the end of the stream");
            assertEquals(MANY, recorder.count());
            assertEquals(Reason.CLOSED, recorder.disconnects().getFirst().reason());
            assertTrue(subscription.state() != SubscriptionState.ENDED, "it waits for another publisher");
        } finally {
            thread.interrupt();
            thread.join();
        }
        assertEquals(null, failure.get());
    }

    /** Waits for a subscriber, publishes faster than it can read, and closes at once. */
    private void publishAndClose(AtomicReference<@Nullable InetSocketAddress> address) {
        try (Arena arena = Arena.ofShared();
                Side side = new Side("publishing", openContext(config()))) {
            Publisher publisher = Publisher.listen(
                    side.worker(), freePort(), PublisherOptions.defaults().withDrainTimeout(DRAIN));
            Topic topic = publisher.topic("numbers", TopicOptions.defaults().withBacklogBytes(64L << 20));
            MemorySegment buffer = arena.allocate(40);
            address.set(publisher.address());
            while (topic.subscriberCount() == 0 && !Thread.currentThread().isInterrupted()) {
                side.worker().progress();
            }
            for (int i = 0; i < MANY; i++) {
                assertEquals(i + 1, tryPublish(topic, 7, buffer, 40));
            }
            publisher.close();
            publisher.close();
            assertThrows(IllegalStateException.class, () -> publisher.topic("more"));
        }
    }

    @Test
    @Semantics("P-15")
    void shouldEndTheSubscriptionsOfAClosedTopicAlone() {
        Publisher publisher = publisher();
        Topic closing = publisher.topic("closing");
        Topic staying = publisher.topic("staying");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder closed = recorder(7);
        TopicRecorder stays = recorder(9);
        subscribe(subscriber, "closing", SubscriptionOptions.defaults().withTopicTimeout(Duration.ZERO), closed);
        join(subscriber, "staying", stays);
        until(() -> !closed.joins().isEmpty(), "the join");
        publishMany(closing, 7, 10, 8);
        until(publisher::drained, "the messages to leave");
        closing.close();
        until(() -> !closed.ends().isEmpty(), "the end");
        assertEquals(10, closed.count());
        assertEquals(Reason.CLOSED, closed.disconnects().getFirst().reason());
        assertEquals(Reason.REFUSED, closed.ends().getFirst().reason(), "the topic is unknown when it is joined again");
        publishMany(staying, 9, 10, 8);
        until(() -> stays.count() == 10, "the other topic's messages");
        assertEquals(List.of(), stays.disconnects());
    }

    @Test
    @Semantics("P-17")
    void shouldHoldToItsLimits() {
        Publisher publisher = publisher(
                publisherOptions().withConnectionsMax(2).withSubscriptionsMax(2).withTopicsMax(2));
        publisher.topic("one", TopicOptions.defaults().withSubscribersMax(1));
        publisher.topic("two");
        assertThrows(FairleadException.class, () -> publisher.topic("three"));
        Subscriber first = subscriber(publisher);
        join(first, "one", recorder(7));
        TopicRecorder crowded = recorder(7);
        subscribe(first, "one", crowded);
        until(() -> !crowded.ends().isEmpty(), "the refusal");
        assertTrue(String.valueOf(crowded.ends().getFirst().getMessage()).contains("subscribersMax=1"));
        join(first, "two", recorder(7));
        TopicRecorder greedy = recorder(7);
        subscribe(first, "two", greedy);
        until(() -> !greedy.ends().isEmpty(), "the refusal");
        assertTrue(String.valueOf(greedy.ends().getFirst().getMessage()).contains("subscriptionsMax=2"));
        join(subscriber(publisher), "two", recorder(7));
        Subscriber third =
                subscriber(client(), publisher.address(), subscriberOptions().withReconnect(SOON.attemptsAtMost(3)));
        TopicRecorder turnedAway = recorder(7);
        subscribe(third, "two", turnedAway);
        until(() -> !turnedAway.ends().isEmpty(), "the third connection to give up");
        assertFalse(third.connected());
        assertEquals(List.of(), turnedAway.joins());
    }

    @Test
    @Semantics("P-18")
    void shouldEndASubscriptionThatCannotHoldTheTopicsMessages() {
        Publisher publisher = publisher();
        publisher.topic("large", TopicOptions.defaults().withMessageMax(1000).withBatchBytes(4096));
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder small = recorder(7);
        subscribe(subscriber, "large", SubscriptionOptions.defaults().withMessageMax(999), small);
        until(() -> !small.ends().isEmpty(), "the refusal");
        assertEquals(Reason.REFUSED, small.ends().getFirst().reason());
        TopicRecorder narrow = recorder(7);
        subscribe(subscriber, "large", SubscriptionOptions.defaults().withWindowBytes(8191), narrow);
        until(() -> !narrow.ends().isEmpty(), "the end");
        assertEquals(Reason.UNSUPPORTED, narrow.ends().getFirst().reason());
        assertEquals(List.of(), narrow.joins());
        until(() -> publisher.subscribers().isEmpty(), "the publisher to know");
        TopicRecorder wide = recorder(7);
        subscribe(
                subscriber,
                "large",
                SubscriptionOptions.defaults().withWindowBytes(8192).withMessageMax(1000),
                wide);
        until(() -> !wide.joins().isEmpty(), "the narrowest that will do");
        assertEquals(0, subscriber.reconnects());
    }

    @Test
    @Semantics("P-19")
    void shouldServeSubscribersOfAListenerThatTheCallerOwns() {
        Publisher publisher = driven(Publisher.attach(server().worker(), publisherOptions()));
        assertThrows(IllegalStateException.class, publisher::address);
        Topic topic = publisher.topic("numbers");
        Listener listener = closeLater(server().worker().listen(freePort(), publisher.endpointHandler()));
        TopicRecorder recorder = recorder(7);
        Subscriber subscriber = subscriber(client(), listener.address(), subscriberOptions());
        join(subscriber, "numbers", recorder);
        publishMany(topic, 7, 10, 8);
        until(() -> recorder.count() == 10, "the messages");
    }
}
