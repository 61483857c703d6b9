package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException.Reason;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.FlowSink;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A flow that is published on a topic: what it is asked for, and each of its ends. */
public class FlowSinkContract extends FlowCases {
    private static final FlowOptions FEW = FlowOptions.defaults().withElementsMax(8);

    /** Creates the suite. */
    protected FlowSinkContract() {}

    private NodeTopic topic(NodePublisher publisher) {
        return get(publisher.topic("words", SMALL));
    }

    /** A flow of words from 0 on, which notes what is asked of it. */
    private static final class Words implements Flow.Subscription {
        private final Flow.Subscriber<? super Long> target;
        private final AtomicLong requested = new AtomicLong();
        private final AtomicInteger cancelled = new AtomicInteger();
        private long next;

        Words(Flow.Subscriber<? super Long> target) {
            this.target = target;
            target.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            requested.addAndGet(n);
        }

        @Override
        public void cancel() {
            cancelled.incrementAndGet();
        }

        /** Signals what was requested; answers how many elements. */
        int signal() {
            int signalled = 0;
            for (; next < requested.get(); next++) {
                target.onNext(next);
                signalled++;
            }
            return signalled;
        }

        void signal(long count) {
            awaitTrue(
                    () -> {
                        for (; next < Math.min(requested.get(), count); next++) {
                            target.onNext(next);
                        }
                        return next == count;
                    },
                    "elements to be requested");
        }
    }

    private static FlowSink<Long> sink(NodeTopic topic) {
        return topic.flow(FEW, FlowCases::word);
    }

    private static Throwable failure(FlowSink<?> sink) {
        return get(sink.ended().handle((_, thrown) -> {
            assertTrue(thrown != null, "it has completed");
            return thrown instanceof CompletionException ? thrown.getCause() : thrown;
        }));
    }

    private void holdUp(BackPressure backPressure) {
        configure(NodeKeys.BACK_PRESSURE, backPressure);
        configure(NodeKeys.QUEUE_MAX, 4);
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        FlowSink<Long> sink = sink(topic);
        Words words = new Words(sink);
        awaitTrue(
                () -> {
                    words.signal();
                    return words.next > 4096 / 24;
                },
                "the topic to fill");
        AtomicInteger quiet = new AtomicInteger();
        awaitTrue(() -> quiet.addAndGet(words.signal() == 0 ? 1 : -quiet.get()) == 200, "the topic to be full");
        assertTrue(words.next <= 8 + (4096 + 8192 + 3 * 1024) / 24, () -> "signalled=" + words.next);
        assertTrue(words.requested.get() - topic.sequence() <= 8, "no more than its bound waits");
        for (long i = 0; i < 2000; i++) {
            recorder.subscription().request(1);
            words.signal();
            assertEquals(i, recorder.next());
        }
        recorder.subscription().request(Long.MAX_VALUE);
        words.signal(3000);
        sink.onComplete();
        get(sink.ended());
        assertSame(FlowRecorder.COMPLETE, recorder.end());
        assertEquals(3000, recorder.count());
        assertEquals(0, words.cancelled.get());
    }

    @Test
    @Semantics("P-66")
    void shouldAskForNoMoreThanFindsRoomUnderWait() {
        holdUp(BackPressure.WAIT);
    }

    @Test
    @Semantics("P-66")
    void shouldAskForNoMoreThanFindsRoomUnderFail() {
        holdUp(BackPressure.FAIL);
    }

    @Test
    @Semantics("P-66")
    void shouldCopyElementsBeforeTheSignalReturns() {
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(Long.MAX_VALUE));
        long[] reused = new long[1];
        FlowSink<Long> sink = topic.flow(FEW, element -> {
            reused[0] = element;
            return MemorySegment.ofArray(reused);
        });
        Words words = new Words(sink);
        words.signal(1000);
        for (long i = 0; i < 1000; i++) {
            assertEquals(i, recorder.next());
        }
    }

    @Test
    @Semantics("P-66")
    void shouldFailAFlowThatSignalsMoreThanWasRequested() {
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowRecorder<Long> idle = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        FlowSink<Long> sink = sink(topic);
        Words words = new Words(sink);
        for (long i = 0; i < 5000; i++) {
            sink.onNext(i);
        }
        awaitTrue(() -> words.cancelled.get() == 1, "the flow to be cancelled");
        idle.subscription().request(Long.MAX_VALUE);
        String message = String.valueOf(
                assertInstanceOf(IllegalStateException.class, failure(sink)).getMessage());
        assertTrue(message.contains("more than was requested"), message);
    }

    @Test
    @Semantics("P-67")
    void shouldSendAllOfACompleteFlowBeforeTheTopicCloses() {
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        FlowSink<Long> sink = sink(topic);
        Words words = new Words(sink);
        awaitTrue(
                () -> {
                    words.signal();
                    return words.next >= 300;
                },
                "elements to be requested");
        sink.onComplete();
        assertFalse(sink.ended().isDone(), "nobody has taken them");
        recorder.subscription().request(Long.MAX_VALUE);
        get(sink.ended());
        assertSame(FlowRecorder.COMPLETE, recorder.end());
        assertEquals(words.next, recorder.count());
        assertEquals(Reason.CLOSED, failureOf(topic.publish(word(1))).reason());
    }

    @Test
    @Semantics("P-67")
    void shouldEndTheTopicWithTheErrorOfItsFlow() {
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(Long.MAX_VALUE));
        FlowSink<Long> sink = sink(topic);
        Words words = new Words(sink);
        words.signal(100);
        ArithmeticException broken = new ArithmeticException("not to be told to peers");
        sink.onError(broken);
        assertSame(broken, failure(sink));
        String message = String.valueOf(fairlead(recorder.end(), Reason.REFUSED).getMessage());
        assertTrue(message.contains("java.lang.ArithmeticException") && !message.contains("peers"), message);
        assertEquals(100, recorder.count());
        assertEquals(0, words.cancelled.get());
    }

    @Test
    @Semantics("P-67")
    void shouldCancelAFlowWhoseElementsCannotBePublished() {
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowSink<Long> throwing = topic.flow(FEW, _ -> {
            throw new ArithmeticException("broken on purpose");
        });
        Words thrown = new Words(throwing);
        throwing.onNext(1L);
        assertInstanceOf(ArithmeticException.class, failure(throwing));
        awaitTrue(() -> thrown.cancelled.get() == 1, "the flow to be cancelled");
        throwing.onNext(2L);
        throwing.onComplete();
        NodeTopic again = topic(publisher);
        FlowSink<Long> large = again.flow(FEW, _ -> MemorySegment.ofArray(new byte[1 << 20]));
        Words tooLong = new Words(large);
        large.onNext(1L);
        String message = String.valueOf(
                assertInstanceOf(IllegalArgumentException.class, failure(large)).getMessage());
        assertTrue(message.contains("too long for the topic"), message);
        awaitTrue(() -> tooLong.cancelled.get() == 1, "the flow to be cancelled");
        NodeTopic keyed =
                get(publisher.topic("keyed", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastValues(8, 8))));
        assertThrows(IllegalStateException.class, () -> sink(keyed));
    }

    @Test
    @Semantics("P-68")
    void shouldCancelTheFlowWhenTopicPublisherOrNodeClose() {
        Node node = startNode("short-lived");
        NodePublisher publisher = get(NodePublisher.listen(node, loopback()));
        NodeTopic first = get(publisher.topic("first"));
        NodeTopic second = get(publisher.topic("second"));
        NodePublisher other = get(NodePublisher.listen(node, loopback()));
        NodeTopic third = get(other.topic("third"));
        FlowSink<Long> ofTopic = sink(first);
        FlowSink<Long> ofPublisher = sink(second);
        FlowSink<Long> ofNode = sink(third);
        Words toTopic = new Words(ofTopic);
        Words toPublisher = new Words(ofPublisher);
        Words toNode = new Words(ofNode);
        awaitTrue(() -> toNode.requested.get() == 8, "the first request");
        get(first.close());
        assertEquals(Reason.CLOSED, fairlead(failure(ofTopic), Reason.CLOSED).reason());
        publisher.close();
        assertEquals(
                Reason.CLOSED, fairlead(failure(ofPublisher), Reason.CLOSED).reason());
        node.close();
        assertEquals(Reason.CLOSED, fairlead(failure(ofNode), Reason.CLOSED).reason());
        FlowSink<Long> late = sink(third);
        Words toLate = new Words(late);
        fairlead(failure(late), Reason.CLOSED);
        for (Words words : new Words[] {toTopic, toPublisher, toNode, toLate}) {
            awaitTrue(() -> words.cancelled.get() == 1, "the flow to be cancelled");
            words.target.onNext(1L);
            words.target.onComplete();
        }
    }

    @Test
    @Semantics("P-68")
    void shouldEndWithoutAFlowWhenTopicPublisherOrNodeClose() {
        Node node = startNode("short-lived");
        NodePublisher publisher = get(NodePublisher.listen(node, loopback()));
        NodeTopic first = get(publisher.topic("first"));
        NodeTopic second = get(publisher.topic("second"));
        NodeTopic third = get(get(NodePublisher.listen(node, loopback())).topic("third"));
        FlowSink<Long> ofTopic = sink(first);
        FlowSink<Long> ofPublisher = sink(second);
        FlowSink<Long> ofNode = sink(third);
        get(first.close());
        fairlead(failure(ofTopic), Reason.CLOSED);
        publisher.close();
        fairlead(failure(ofPublisher), Reason.CLOSED);
        FlowSink<Long> afterwards = sink(second);
        fairlead(failure(afterwards), Reason.CLOSED);
        node.close();
        fairlead(failure(ofNode), Reason.CLOSED);
        for (FlowSink<Long> sink : List.of(ofTopic, ofPublisher, afterwards, ofNode, sink(second))) {
            Words words = new Words(sink);
            awaitTrue(() -> words.cancelled.get() == 1, "the late flow to be cancelled");
            assertEquals(0, words.requested.get());
            sink.onNext(1L);
            sink.onComplete();
            fairlead(failure(sink), Reason.CLOSED);
        }
    }

    @Test
    @Semantics("P-68")
    void shouldCancelAFlowWhoseRequestClosesThePublisher() {
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowSink<Long> sink = topic.flow(FEW.withExecutor(Runnable::run), FlowCases::word);
        AtomicInteger cancelled = new AtomicInteger();
        sink.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long n) {
                publisher.close();
            }

            @Override
            public void cancel() {
                cancelled.incrementAndGet();
            }
        });
        fairlead(failure(sink), Reason.CLOSED);
        awaitTrue(() -> cancelled.get() == 1, "the flow to be cancelled");
    }

    @Test
    @Semantics("P-68")
    void shouldPublishWhatWasSignalledBeforeThePublisherCloses() {
        NodePublisher publisher = closeLater(get(NodePublisher.listen(
                serverNode(), loopback(), PublisherOptions.defaults().withDrainTimeout(Duration.ofSeconds(30)))));
        NodeTopic topic = topic(publisher);
        FlowRecorder<Long> recorder = join(words(subscriber(publisher)), topic, new FlowRecorder<>(0));
        FlowSink<Long> sink = sink(topic);
        Words words = new Words(sink);
        awaitTrue(
                () -> {
                    words.signal();
                    return words.next > 4096 / 24;
                },
                "the topic to fill");
        AtomicInteger quiet = new AtomicInteger();
        awaitTrue(() -> quiet.addAndGet(words.signal() == 0 ? 1 : -quiet.get()) == 200, "the topic to be full");
        CompletableFuture<Void> closed = publisher.startClose();
        awaitTrue(() -> words.cancelled.get() == 1, "the flow to be cancelled");
        recorder.subscription().request(Long.MAX_VALUE);
        assertSame(FlowRecorder.COMPLETE, recorder.end());
        assertEquals(words.next, recorder.count());
        get(closed);
        fairlead(failure(sink), Reason.CLOSED);
    }

    @Test
    @Semantics("P-68")
    void shouldEndWhereTheExecutorTakesNoTask() {
        NodePublisher publisher = publisher();
        NodeTopic topic = topic(publisher);
        FlowSink<Long> sink = topic.flow(
                FlowOptions.defaults().withExecutor(_ -> {
                    throw new RejectedExecutionException("no task is taken");
                }),
                FlowCases::word);
        Words words = new Words(sink);
        fairlead(failure(sink), Reason.CLOSED);
        assertEquals(1, words.cancelled.get());
    }

    @Test
    @Semantics("P-66")
    void shouldTakeOneFlowAndNoSecond() {
        NodeTopic topic = topic(publisher());
        FlowSink<Long> sink = sink(topic);
        Words first = new Words(sink);
        Words second = new Words(sink);
        assertEquals(1, second.cancelled.get());
        awaitTrue(() -> first.requested.get() == 8, "the first request");
        assertEquals(0, second.requested.get());
    }
}
