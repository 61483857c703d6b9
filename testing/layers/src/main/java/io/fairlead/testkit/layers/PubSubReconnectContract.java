package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.PublisherEvents;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.Side;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lost connections and publishers: subscribers reconnect by themselves and report the messages that they missed. */
public class PubSubReconnectContract extends PubSubCases {
    /** Creates the suite. */
    protected PubSubReconnectContract() {}

    @Test
    @Semantics("P-70")
    void shouldJoinAgainAndTellWhatWasMissed() {
        Publisher publisher = driven(Publisher.attach(server().worker(), publisherOptions()));
        PubSubGate gate = new PubSubGate(server(), publisher);
        Topic topic = publisher.topic("numbers");
        Topic quiet = publisher.topic("quiet");
        Subscriber subscriber = subscriber(client(), gate.address(), subscriberOptions());
        TopicRecorder recorder = recorder(7);
        TopicRecorder quietRecorder = recorder(9);
        Subscription subscription = join(subscriber, "numbers", recorder);
        join(subscriber, "quiet", quietRecorder);
        for (int round = 1; round <= 3; round++) {
            int joins = round + 1;
            publishMany(topic, 7, 100, 8);
            long sequence = topic.sequence();
            until(() -> recorder.last() == sequence, "all messages");
            subscriber.pause();
            gate.sever();
            until(() -> topic.subscriberCount() == 0, "the connection to end");
            publishMany(topic, 7, 10 * round, 8);
            subscriber.resume();
            until(() -> recorder.joins().size() == joins && recorder.gaps().size() == joins - 1, "the gap");
        }
        publishMany(topic, 7, 1, 8);
        publishMany(quiet, 9, 1, 8);
        until(() -> recorder.last() == topic.sequence() && quietRecorder.count() == 1, "the stream");
        assertEquals(
                List.of(
                        new TopicRecorder.Gap(101, 110, GapCause.DISCONNECTED),
                        new TopicRecorder.Gap(211, 230, GapCause.DISCONNECTED),
                        new TopicRecorder.Gap(331, 360, GapCause.DISCONNECTED)),
                recorder.gaps());
        assertEquals(List.of(), quietRecorder.gaps(), "nothing was missed");
        assertEquals(3, recorder.disconnects().size());
        assertEquals(3, subscriber.reconnects());
        assertEquals(3, client().context().statistics().value(Counter.RECONNECTS));
        assertEquals(3, subscription.rejoins());
        assertEquals(60, subscription.missed());
        assertEquals(List.of(), recorder.restarts());
    }

    @Test
    @Semantics("P-71")
    void shouldTellThatThePublisherWasRestarted() {
        Side first = newSide("first");
        Publisher old = publisher(first, freePort(), publisherOptions());
        InetSocketAddress address = old.address();
        Topic topic = old.topic("numbers");
        TopicRecorder recorder = recorder(7);
        Subscriber subscriber = subscriber(client(), address, subscriberOptions());
        Subscription subscription = join(subscriber, "numbers", recorder);
        publishMany(topic, 7, 50, 8);
        until(() -> recorder.count() == 50, "the old publisher's messages");
        old.close();
        until(() -> !recorder.disconnects().isEmpty(), "the end of the stream");
        Publisher other = publisher(newSide("second"), address, publisherOptions());
        assertNotEquals(old.epoch(), other.epoch());
        Topic again = other.topic("numbers");
        publishMany(again, 7, 20, 8);
        until(() -> !recorder.restarts().isEmpty(), "the restart to be told");
        assertEquals(List.of(50L), recorder.restarts());
        publishMany(again, 7, 5, 8);
        until(() -> recorder.count() == 55, "the new publisher's messages");
        long next = recorder.joins().getLast();
        assertTrue(next >= 1 && next <= 21, "next=" + next);
        assertEquals(List.of(), recorder.gaps(), "how much was missed is unknown");
        assertEquals(25, subscription.lastSequence());
        assertEquals(0, subscription.missed());
    }

    @Test
    @Semantics("P-72")
    void shouldWaitForAPublisherThatIsNotThereYet() {
        Publisher place = publisher();
        InetSocketAddress address = place.address();
        place.close();
        Subscriber subscriber = subscriber(client(), address, subscriberOptions());
        TopicRecorder recorder = recorder(7);
        subscribe(subscriber, "numbers", recorder);
        until(() -> client().worker().counters().value(Counter.ENDPOINTS_FAILED) >= 3, "some attempts in vain");
        assertEquals(List.of(), recorder.ends());
        Publisher publisher = publisher(server(), address, publisherOptions());
        Topic topic = publisher.topic("numbers");
        until(() -> !recorder.joins().isEmpty(), "the join");
        publishMany(topic, 7, 10, 8);
        until(() -> recorder.count() == 10, "the messages");
        assertEquals(List.of(), recorder.disconnects(), "there was no stream to lose");
        assertEquals(0, subscriber.reconnects());
    }

    @Test
    @Semantics("P-98")
    void shouldAskAgainForATopicThatIsMadeLater() {
        Publisher publisher = publisher();
        publisher.topic("early");
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder late = recorder(7);
        TopicRecorder never = recorder(7);
        subscribe(subscriber, "late", late);
        subscribe(subscriber, "never", SubscriptionOptions.defaults().withTopicTimeout(Duration.ofMillis(30)), never);
        join(subscriber, "early", recorder(7));
        until(() -> !never.ends().isEmpty(), "the end of what is never made");
        assertEquals(Reason.REFUSED, never.ends().getFirst().reason());
        assertEquals(List.of(), late.ends());
        Topic topic = publisher.topic("late");
        until(() -> !late.joins().isEmpty(), "the join");
        publishMany(topic, 7, 10, 8);
        until(() -> late.count() == 10, "the messages");
        assertEquals(0, subscriber.reconnects());
    }

    @Test
    @Semantics("P-98")
    void shouldFollowAPublisherThatMakesItsTopicAfterARestart() {
        Publisher old = publisher(newSide("first"), freePort(), publisherOptions());
        InetSocketAddress address = old.address();
        Topic topic = old.topic("numbers");
        TopicRecorder recorder = recorder(7);
        Subscriber subscriber = subscriber(client(), address, subscriberOptions());
        join(subscriber, "numbers", recorder);
        publishMany(topic, 7, 50, 8);
        until(() -> recorder.count() == 50, "the old publisher's messages");
        old.close();
        until(() -> !recorder.disconnects().isEmpty(), "the end of the stream");
        Publisher other = publisher(newSide("second"), address, publisherOptions());
        other.topic("other");
        // Its answer comes behind a refusal of the first, which is asked for before.
        TopicRecorder witness = recorder(7);
        subscribe(subscriber, "other", witness);
        until(() -> !witness.joins().isEmpty(), "the new publisher's answer");
        untilIdle();
        assertEquals(List.of(), recorder.ends());
        Topic again = other.topic("numbers");
        until(() -> !recorder.restarts().isEmpty(), "the restart to be told");
        publishMany(again, 7, 5, 8);
        until(() -> recorder.count() == 55, "the new publisher's messages");
        assertEquals(List.of(), recorder.ends());
    }

    @Test
    @Semantics("P-73")
    void shouldGiveUpAfterAsManyAttemptsAsPermitted() {
        Publisher place = publisher();
        InetSocketAddress address = place.address();
        place.close();
        Subscriber subscriber =
                subscriber(client(), address, subscriberOptions().withReconnect(SOON.attemptsAtMost(3)));
        TopicRecorder first = recorder(7);
        TopicRecorder second = recorder(7);
        Subscription subscription = subscribe(subscriber, "numbers", first);
        subscribe(subscriber, "numbers", second);
        until(() -> !first.ends().isEmpty() && !second.ends().isEmpty(), "the end");
        assertEquals(Reason.CONNECTION_REFUSED, first.ends().getFirst().reason());
        assertEquals(SubscriptionState.ENDED, subscription.state());
        assertEquals(List.of(), subscriber.subscriptions());
        Publisher publisher = publisher(server(), address, publisherOptions());
        publisher.topic("numbers");
        TopicRecorder third = recorder(7);
        subscribe(subscriber, "numbers", third);
        until(() -> !third.joins().isEmpty(), "a new subscription to try again");
    }

    @Test
    @Semantics("P-74")
    void shouldGoOnWithTheOthersWhenASubscriberIsLost() {
        List<String> told = new ArrayList<>();
        Publisher publisher = publisher(publisherOptions().withEvents(new PublisherEvents() {
            @Override
            public void joined(SubscriberStats subscriber) {
                told.add("joined " + subscriber.subscriber());
            }

            @Override
            public void left(SubscriberStats subscriber, FairleadException cause) {
                told.add("left " + subscriber.subscriber() + " " + cause.reason());
            }
        }));
        Topic topic = publisher.topic("numbers");
        Side doomed = newMortalSide("doomed");
        Subscriber dying =
                subscriber(doomed, publisher.address(), subscriberOptions().withName("dying"));
        join(dying, "numbers", recorder(7));
        TopicRecorder recorder = recorder(7);
        Subscriber staying =
                subscriber(client(), publisher.address(), subscriberOptions().withName("staying"));
        Subscription subscription = join(staying, "numbers", recorder);
        publishMany(topic, 7, 100, 100);
        dying.pause();
        // The worker goes without its subscriber, with receives posted and messages on their way.
        kill(doomed);
        publishMany(topic, 7, 10_000, 100);
        until(() -> recorder.count() == 10_100, "the other subscriber");
        until(() -> topic.subscriberCount() == 1, "the loss to be noticed");
        subscription.close();
        until(() -> topic.subscriberCount() == 0, "both to have left");
        until(() -> told.size() == 4, "the events");
        assertEquals(List.of("joined dying", "joined staying"), told.subList(0, 2));
        assertEquals(List.of("left dying CLOSED", "left staying CLOSED"), told.subList(2, 4));
        assertEquals(List.of(), recorder.gaps());
    }

    @Test
    @Semantics("P-75")
    void shouldDeliverWhatHadArrivedBeforeTheConnectionWasLost() {
        Publisher publisher = driven(Publisher.attach(server().worker(), publisherOptions()));
        PubSubGate gate = new PubSubGate(server(), publisher);
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber =
                subscriber(client(), gate.address(), subscriberOptions().withDeliverMax(7));
        TopicRecorder recorder = recorder(7);
        join(subscriber, "numbers", recorder);
        subscriber.pause();
        publishMany(topic, 7, 1000, 100);
        loseAndResume(publisher, gate, subscriber, recorder);
        assertEquals(1000, recorder.count());
        assertEquals(1, recorder.disconnects().size());
        assertEquals(List.of(), recorder.gaps());
    }

    @Test
    @Semantics("P-75")
    void shouldDeliverLongMessagesThatHadArrivedBeforeTheConnectionWasLost() {
        int mib = 1 << 20;
        configure(ConfigKeys.CREDIT_BYTES, 16 * mib);
        configure(ConfigKeys.EAGER_MAX, mib);
        Publisher publisher = driven(Publisher.attach(server().worker(), publisherOptions()));
        PubSubGate gate = new PubSubGate(server(), publisher);
        int length = mib / 2;
        Topic topic = publisher.topic(
                "numbers", TopicOptions.defaults().withBatchBytes(8192).withMessageMax(length));
        Subscriber subscriber = subscriber(client(), gate.address(), subscriberOptions());
        TopicRecorder recorder = recorder(7);
        SubscriptionOptions options = SubscriptionOptions.defaults().withMessageMax(length);
        awaitLive(subscribe(subscriber, "numbers", options, recorder));
        subscriber.pause();
        // More than a paused subscription has memory for.
        publishMany(topic, 7, 8, length);
        loseAndResume(publisher, gate, subscriber, recorder);
        assertEquals(8, recorder.count());
        assertEquals(List.of(), recorder.gaps());
    }

    /** The connection is lost behind all messages, and a paused subscriber goes on when it is made again. */
    private void loseAndResume(Publisher publisher, PubSubGate gate, Subscriber subscriber, TopicRecorder recorder) {
        until(publisher::drained, "the messages to leave");
        untilIdle();
        gate.sever();
        untilIdle();
        assertEquals(0, recorder.count());
        subscriber.resume();
        until(() -> recorder.joins().size() == 2, "the second join");
    }
}
