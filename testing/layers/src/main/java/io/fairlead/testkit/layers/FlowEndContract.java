package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.Node;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The messages of a topic as a flow: each way in which it ends. */
public class FlowEndContract extends FlowCases {
    /** Creates the suite. */
    protected FlowEndContract() {}

    @Test
    @Semantics("P-62")
    void shouldCompleteWhenTheTopicIsClosedWithAllOfItSent() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        NodeSubscriber subscriber = subscriber(publisher);
        FlowRecorder<Long> taking = join(words(subscriber), topic, new FlowRecorder<>(Long.MAX_VALUE));
        FlowRecorder<Long> idle = join(words(subscriber), topic, new FlowRecorder<>(0));
        get(topic.publish(word(7)));
        get(topic.drain());
        get(topic.close());
        assertSame(FlowRecorder.COMPLETE, taking.end());
        assertEquals(7, taking.next());
        assertFalse(idle.isEnded(), "what had arrived comes first, and is not requested");
        idle.subscription().request(1);
        assertEquals(7, idle.next());
        assertSame(FlowRecorder.COMPLETE, idle.end());
        FlowRecorder<Long> empty = new FlowRecorder<>(0);
        NodeTopic nothing = get(publisher.topic("words", SMALL));
        join(words(subscriber), nothing, empty);
        get(nothing.close());
        assertSame(FlowRecorder.COMPLETE, empty.end(), "the end needs no demand of its own");
        List.of(taking, idle, empty).forEach(FlowRecorder::assertCorrect);
        assertNothingLeft(topic);
    }

    @Test
    @Semantics("P-62")
    void shouldFailWhenTheTopicIsClosedWithMessagesUnsent() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        List<CompletableFuture<Long>> _ = publish(topic, 900);
        recorder.subscription().request(1);
        assertEquals(0, recorder.next());
        awaitTrue(() -> topic.sequence() > 2 * 4096 / 24, "more than the window holds");
        get(topic.close());
        recorder.subscription().request(Long.MAX_VALUE);
        String message = String.valueOf(fairlead(recorder.end(), Reason.CLOSED).getMessage());
        assertTrue(message.contains("topic=words, missed="), message);
        assertTrue(recorder.count() > 1, "what had arrived comes first");
        recorder.assertCorrect();
    }

    @Test
    @Semantics("P-62")
    void shouldFailWhenMessagesWereMissed() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL.withSlowPolicy(SlowPolicy.DROP_OLDEST)));
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        publish(topic, 5000).forEach(NodeCases::get);
        recorder.subscription().request(Long.MAX_VALUE);
        String message =
                String.valueOf(fairlead(recorder.end(), Reason.LIMIT_REACHED).getMessage());
        assertTrue(message.contains("topic=words, first=") && message.contains("cause=SLOW"), message);
        for (long i = 0; i < recorder.count(); i++) {
            assertEquals(i, recorder.next());
        }
        recorder.assertCorrect();
        assertNothingLeft(topic);
    }

    @Test
    @Semantics("P-62")
    void shouldFailWhenItIsTooSlowForDisconnect() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL.withSlowPolicy(SlowPolicy.DISCONNECT)));
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        publish(topic, 5000).forEach(NodeCases::get);
        recorder.subscription().request(Long.MAX_VALUE);
        fairlead(recorder.end(), Reason.LIMIT_REACHED);
        assertNothingLeft(topic);
    }

    @Test
    @Semantics("P-62")
    void shouldFailWhenNodesOrSubscribersCloseInTheMiddle() {
        Node server = startNode("short-lived");
        NodePublisher publisher = get(NodePublisher.listen(server, loopback()));
        NodeTopic topic = get(publisher.topic("words", SMALL));
        NodeSubscriber subscriber = subscriber(publisher);
        NodeSubscriber closing = subscriber(publisher);
        Node other = startNode("short-lived too");
        NodeSubscriber onOther = get(NodeSubscriber.connect(other, publisher.address()));
        FlowRecorder<Long> ofServer = join(words(subscriber), topic, new FlowRecorder<>(0));
        FlowRecorder<Long> ofClosing = join(words(closing), topic, new FlowRecorder<>(0));
        FlowRecorder<Long> ofOther = join(words(onOther), topic, new FlowRecorder<>(0));
        get(topic.publish(word(1)));
        get(topic.drain());
        closing.close();
        fairlead(ofClosing.end(), Reason.CLOSED);
        other.close();
        fairlead(ofOther.end(), Reason.CLOSED);
        assertEquals(0, ofClosing.count() + ofOther.count(), "what was not requested is dropped");
        server.close();
        assertFalse(ofServer.isEnded(), "what had arrived comes first, and is not requested");
        ofServer.subscription().request(1);
        String message = String.valueOf(fairlead(ofServer.end(), Reason.CLOSED).getMessage());
        assertTrue(message.contains("closed its node before the topic"), message);
        FlowRecorder<Long> late = new FlowRecorder<>(1);
        words(closing).subscribe(late);
        fairlead(late.end(), Reason.CLOSED);
        List.of(ofServer, ofClosing, ofOther, late).forEach(FlowRecorder::assertCorrect);
    }

    @Test
    @Semantics("P-62")
    void shouldFailWhereThereIsNoSuchTopic() {
        NodePublisher publisher = publisher();
        NodeSubscriber subscriber = subscriber(publisher);
        FlowRecorder<Long> recorder = new FlowRecorder<>(0);
        SubscriptionOptions atOnce = SubscriptionOptions.defaults().withTopicTimeout(Duration.ZERO);
        subscriber.flow("nothing", atOnce, FlowOptions.defaults(), WORD).subscribe(recorder);
        fairlead(recorder.end(), Reason.REFUSED);
        assertThrows(IllegalArgumentException.class, () -> subscriber.flow("", WORD));
        assertThrows(
                IllegalArgumentException.class,
                () -> FlowOptions.defaults().withElementsMax(0).withElementsMax(1));
        assertThrows(NullPointerException.class, () -> words(subscriber).subscribe(null));
    }

    @Test
    @Semantics("P-62")
    void shouldWaitForAPublisherAndGiveUpAsThePolicySays() {
        NodePublisher gone = publisher();
        gone.close();
        NodeSubscriber subscriber = closeLater(get(NodeSubscriber.connect(
                clientNode(),
                gone.address(),
                SubscriberOptions.defaults().withReconnect(io.fairlead.ReconnectPolicy.NEVER))));
        FlowRecorder<Long> recorder = new FlowRecorder<>(0);
        words(subscriber).subscribe(recorder);
        assertInstanceOf(FairleadException.class, recorder.end());
    }

    @Test
    @Semantics("P-64")
    void shouldEndAloneWhereSubscribersAndMappersBreakTheRules() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        NodeSubscriber subscriber = subscriber(publisher);
        FlowRecorder<Long> throwing = join(words(subscriber), topic, new FlowRecorder<>(100, (_, _) -> {
            throw new IllegalStateException("broken on purpose");
        }));
        FlowRecorder<Long> mapped = join(
                subscriber.flow("words", message -> {
                    if (WORD.apply(message) == 2) {
                        throw new ArithmeticException("broken on purpose");
                    }
                    return WORD.apply(message);
                }),
                topic,
                new FlowRecorder<>(Long.MAX_VALUE));
        Function<MemorySegment, Long> nothing = _ -> null;
        FlowRecorder<Long> missing = join(subscriber.flow("words", nothing), topic, new FlowRecorder<>(Long.MAX_VALUE));
        FlowRecorder<Long> zero = join(words(subscriber), topic, new FlowRecorder<>(0));
        FlowRecorder<Long> negative =
                join(words(subscriber), topic, new FlowRecorder<>(1, (subscription, _) -> subscription.request(-5)));
        FlowRecorder<Long> witness = join(words(subscriber), topic, new FlowRecorder<>(Long.MAX_VALUE));
        zero.subscription().request(0);
        List<CompletableFuture<Long>> _ = publish(topic, 1000);
        for (long i = 0; i < 1000; i++) {
            assertEquals(i, witness.next());
        }
        assertInstanceOf(ArithmeticException.class, mapped.end());
        assertEquals(2, mapped.count());
        assertInstanceOf(NullPointerException.class, missing.end());
        String refused = String.valueOf(
                assertInstanceOf(IllegalArgumentException.class, zero.end()).getMessage());
        assertTrue(refused.contains("3.9"), refused);
        assertInstanceOf(IllegalArgumentException.class, negative.end());
        awaitSubscribers(topic, 1);
        assertEquals(1, throwing.count());
        assertFalse(throwing.isEnded());
        witness.subscription().cancel();
        assertNothingLeft(topic);
        List.of(throwing, mapped, missing, zero, negative, witness).forEach(FlowRecorder::assertCorrect);
    }

    @Test
    @Semantics("P-64")
    void shouldEndWhereTheExecutorTakesNoTask() {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("words", SMALL));
        NodeSubscriber subscriber = subscriber(publisher);
        FlowRecorder<Long> never = new FlowRecorder<>(1);
        AtomicInteger tasks = new AtomicInteger(1);
        FlowOptions refusing = FlowOptions.defaults().withExecutor(task -> {
            if (tasks.getAndDecrement() <= 0) {
                throw new RejectedExecutionException("no task is taken");
            }
            task.run();
        });
        FlowRecorder<Long> once =
                join(subscriber.flow("words", SMALL_WINDOW, refusing, WORD), topic, new FlowRecorder<>(Long.MAX_VALUE));
        subscriber.flow("words", SMALL_WINDOW, refusing, WORD).subscribe(never);
        assertTrue(never.isEnded(), "subscribe itself says so");
        fairlead(never.end(), Reason.CLOSED);
        get(topic.publish(word(1)));
        fairlead(once.end(), Reason.CLOSED);
        assertNothingLeft(topic);
        List.of(never, once).forEach(FlowRecorder::assertCorrect);
    }
}
