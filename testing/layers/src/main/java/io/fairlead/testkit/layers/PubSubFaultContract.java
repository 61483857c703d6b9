package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.fault.FaultInjectingProvider;
import io.fairlead.testkit.fault.FaultPlan;
import io.fairlead.testkit.fault.FaultPlan.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Publishers and subscribers on a transport that fails at chosen operations. */
public class PubSubFaultContract extends PubSubCases {
    private static final int LARGE = 5000;

    private final FaultPlan plan = new FaultPlan();

    /** Creates the suite. */
    protected PubSubFaultContract() {}

    @Override
    protected List<TransportProvider> providers() {
        return List.of(new FaultInjectingProvider(transport().provider(), plan));
    }

    private static TopicOptions options() {
        return TopicOptions.defaults().withBatchBytes(1024).withMessageMax(LARGE);
    }

    /** Batches, single messages and large ones in turn. */
    private static long length(int i) {
        return i % 50 == 0 ? LARGE : i % 60;
    }

    @Test
    @Semantics("P-76")
    void shouldBlockOverATransportThatRefusesAndDelays() {
        assertGoesOn(SlowPolicy.BLOCK);
    }

    @Test
    @Semantics("P-76")
    void shouldDropOverATransportThatRefusesAndDelays() {
        assertGoesOn(SlowPolicy.DROP_OLDEST);
    }

    @Test
    @Semantics("P-76")
    void shouldDisconnectOverATransportThatRefusesAndDelays() {
        assertGoesOn(SlowPolicy.DISCONNECT);
    }

    private void assertGoesOn(SlowPolicy policy) {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options().withSlowPolicy(policy));
        List<TopicRecorder> recorders = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            TopicRecorder recorder = recorder(7);
            join(subscriber(publisher), "numbers", recorder);
            recorders.add(recorder);
        }
        plan.delay(Kind.SEND, 3);
        plan.delay(Kind.RECEIVE, 2);
        MemorySegment buffer = buffer(LARGE);
        for (int i = 1; i <= 10_000; i++) {
            publish(topic, 7, buffer, length(i));
            if (i % 7 == 0) {
                turn();
            }
            if (i % 100 == 0) {
                plan.refuse(Kind.SEND, 20);
                plan.delay(Kind.SEND, i % 5);
            }
        }
        until(() -> recorders.stream().allMatch(recorder -> recorder.passed() == 10_000), "everything");
        for (TopicRecorder recorder : recorders) {
            if (policy == SlowPolicy.BLOCK) {
                assertEquals(10_000, recorder.count());
            }
            assertEquals(10_000, recorder.count() + recorder.missed());
            assertEquals(
                    policy == SlowPolicy.DISCONNECT ? recorder.joins().size() - 1 : 0,
                    recorder.disconnects().size());
        }
    }

    @Test
    @Semantics("P-77")
    void shouldComeBackWhateverSendTheConnectionBreaksAt() {
        assertComesBack(Kind.SEND);
    }

    @Test
    @Semantics("P-77")
    void shouldComeBackWhateverReceiveTheConnectionBreaksAt() {
        assertComesBack(Kind.RECEIVE);
    }

    private void assertComesBack(Kind kind) {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options());
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder recorder = recorder(7);
        Subscription subscription = join(subscriber, "numbers", recorder);
        MemorySegment buffer = buffer(LARGE);
        int broken = 0;
        for (int number = 1; number <= 60; number++) {
            plan.reset();
            if (number % 2 == 0) {
                plan.severAt(kind, number);
            } else {
                plan.dropPeerAt(kind, number);
            }
            long losses = subscriber.reconnects();
            for (int i = 1; i <= 200; i++) {
                publish(topic, 7, buffer, length(i));
                turn();
            }
            plan.reset();
            until(() -> subscriber.connected() && topic.subscriberCount() == 1, "the subscriber to be back");
            awaitLive(subscription);
            publish(topic, 7, buffer, 8);
            long sequence = topic.sequence();
            until(() -> recorder.passed() == sequence, "everything");
            broken += subscriber.reconnects() > losses ? 1 : 0;
        }
        assertEquals(60, broken, "every plan must have broken a connection");
        assertEquals(60 * 201, recorder.count() + recorder.missed());
        assertTrue(recorder.gaps().stream().allMatch(gap -> gap.cause() == GapCause.DISCONNECTED));
        assertTrue(recorder.count() >= 60, recorder::toString);
    }

    @Test
    @Semantics({"P-76", "P-77"})
    void shouldReadASnapshotOverATransportThatFails() {
        requires(Capability.GET);
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers", options().withSnapshot(SnapshotOptions.lastMessages(3000, 1000)));
        publishMany(topic, 7, 3000, 1000);
        plan.delay(Kind.GET, 5);
        plan.refuse(Kind.GET, 3);
        plan.dropPeerAt(Kind.GET, 2);
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder recorder = recorder(7).withSnapshot();
        subscribe(subscriber, "numbers", SubscriptionOptions.defaults().withStartAt(StartAt.SNAPSHOT), recorder);
        until(() -> recorder.joins().size() == 2, "the second join");
        until(() -> recorder.count() == 3000, "the snapshot");
        publishMany(topic, 7, 10, 100);
        until(() -> recorder.count() == 3010, "the stream");
        assertEquals(List.of(), recorder.gaps());
        assertEquals(List.of(3000), recorder.snapshots());
    }
}
