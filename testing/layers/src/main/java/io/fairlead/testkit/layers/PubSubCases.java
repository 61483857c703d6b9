package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.Endpoint;
import io.fairlead.ReconnectPolicy;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.Topic;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Side;
import io.fairlead.testkit.contract.TransportContract;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** What the cases of publishers and subscribers share: their duty cycle, and messages whose bytes encode their number. */
abstract class PubSubCases extends TransportContract {
    private static final long DEADLINE_NS = Duration.ofSeconds(60).toNanos();
    private static final int SPINS = 200;
    /** What subscribers of the cases reconnect by. */
    static final ReconnectPolicy SOON = ReconnectPolicy.always(Duration.ofMillis(1), Duration.ofMillis(20));

    private final List<Publisher> publishers = new ArrayList<>();
    private final List<Side> mortals = new ArrayList<>();
    private final List<TopicRecorder> recorders = new ArrayList<>();
    private int idleTurns;

    PubSubCases() {}

    @AfterEach
    final void assertNothingWasBroken() {
        for (TopicRecorder recorder : recorders) {
            assertEquals(List.of(), recorder.violations(), recorder::toString);
        }
    }

    static InetSocketAddress freePort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Options that let no case wait for what cannot happen: nobody makes progress for the subscribers during a close. */
    static PublisherOptions publisherOptions() {
        return PublisherOptions.defaults().withDrainTimeout(Duration.ofMillis(20));
    }

    final Publisher publisher() {
        return publisher(publisherOptions());
    }

    final Publisher publisher(PublisherOptions options) {
        return publisher(server(), freePort(), options);
    }

    final Publisher publisher(Side side, InetSocketAddress address, PublisherOptions options) {
        return driven(Publisher.listen(side.worker(), address, options));
    }

    /** Closes the publisher when the case ends, and shows its subscribers in the text of a failure. */
    final Publisher driven(Publisher publisher) {
        publishers.add(publisher);
        return closeLater(publisher);
    }

    static SubscriberOptions subscriberOptions() {
        return SubscriberOptions.defaults().withReconnect(SOON);
    }

    final Subscriber subscriber(Publisher publisher) {
        return subscriber(client(), publisher.address(), subscriberOptions());
    }

    final Subscriber subscriber(Side side, InetSocketAddress address, SubscriberOptions options) {
        return closeLater(Subscriber.connect(side.worker(), address, options));
    }

    /** A side that a case may close before its end. */
    final Side newMortalSide(String name) {
        Side side = closeLater(new Side(name, openContext(config())));
        mortals.add(side);
        return side;
    }

    final void kill(Side side) {
        mortals.remove(side);
        side.close();
    }

    final TopicRecorder recorder(long seed) {
        TopicRecorder recorder = new TopicRecorder(seed);
        recorders.add(recorder);
        return recorder;
    }

    final Subscription subscribe(Subscriber subscriber, String topic, TopicRecorder recorder) {
        return subscribe(subscriber, topic, SubscriptionOptions.defaults(), recorder);
    }

    final Subscription subscribe(
            Subscriber subscriber, String topic, SubscriptionOptions options, TopicRecorder recorder) {
        return subscriber.subscribe(topic, options, recorder, recorder);
    }

    /** Subscribes and waits until messages flow. */
    final Subscription join(Subscriber subscriber, String topic, TopicRecorder recorder) {
        Subscription subscription = subscribe(subscriber, topic, recorder);
        awaitLive(subscription);
        return subscription;
    }

    final void awaitLive(Subscription subscription) {
        until(() -> subscription.state() == SubscriptionState.LIVE, "the subscription to be live");
    }

    /** Publishes the next message of a topic, with the bytes that belong to its number; the status if it is not taken. */
    final long tryPublish(Topic topic, long seed, MemorySegment buffer, long length) {
        Pattern.fill(buffer, 0, length, seed + topic.sequence() + 1);
        return topic.publish(buffer, 0, length);
    }

    /** Publishes, and makes progress while there is back-pressure. */
    final long publish(Topic topic, long seed, MemorySegment buffer, long length) {
        long deadline = System.nanoTime() + DEADLINE_NS;
        long sequence = tryPublish(topic, seed, buffer, length);
        while (sequence < 0) {
            assertEquals(Endpoint.BACK_PRESSURE, sequence);
            turn();
            assertTrue(System.nanoTime() < deadline, "no room for a message: " + topic.subscribers());
            sequence = tryPublish(topic, seed, buffer, length);
        }
        return sequence;
    }

    final void publishMany(Topic topic, long seed, int count, long length) {
        MemorySegment buffer = buffer(length);
        for (int i = 0; i < count; i++) {
            publish(topic, seed, buffer, length);
        }
    }

    /** One round of every duty cycle; returns how much was done. */
    final int turn() {
        int events = progress();
        for (Side side : mortals) {
            events += side.progress();
        }
        idleTurns = events > 0 ? 0 : idleTurns + 1;
        if (idleTurns > SPINS) {
            // Times and other threads are all that can change anything now.
            LockSupport.parkNanos(50_000);
        }
        return events;
    }

    final void until(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean()) {
            turn();
            if (System.nanoTime() > deadline) {
                fail("waited in vain for " + what + ": " + recorders + ", "
                        + publishers.stream().map(Publisher::subscribers).toList());
            }
        }
    }

    /** Goes on for a while in which nothing should happen. */
    final void untilIdle() {
        long deadline = System.nanoTime() + DEADLINE_NS;
        int quiet = 0;
        while (quiet < 2 * SPINS) {
            quiet = turn() == 0 ? quiet + 1 : 0;
            if (System.nanoTime() > deadline) {
                fail("waited in vain for nothing to happen");
            }
        }
    }

    /** Subscribes so that every message and event pauses the subscriber. */
    final PausingRecorder subscribePausing(
            Subscriber subscriber, String topic, SubscriptionOptions options, TopicRecorder recorder) {
        PausingRecorder pausing = new PausingRecorder(subscriber, recorder);
        subscriber.subscribe(topic, options, pausing, pausing);
        return pausing;
    }

    /** Resumes a subscriber after each of its pauses until the condition holds, and counts the resumptions. */
    final int resumeUntil(Subscriber subscriber, BooleanSupplier condition, String what) {
        int[] resumptions = {0};
        until(
                () -> {
                    if (condition.getAsBoolean()) {
                        return true;
                    }
                    if (subscriber.isPaused()) {
                        subscriber.resume();
                        resumptions[0]++;
                    }
                    return false;
                },
                what);
        return resumptions[0];
    }
}
