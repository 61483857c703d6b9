package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.services.ClientOptions;
import io.fairlead.services.ServeOptions;
import io.fairlead.services.TypedService;
import io.fairlead.services.TypedServices;
import io.fairlead.testkit.contract.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import org.junit.jupiter.api.Test;

/** Streams of typed services: order, demand, ends, limits. */
public class TypedStreamContract extends TypedCases {
    private static final ClientOptions LASTING = ClientOptions.DEFAULT.withDeadline(LONG);
    private static final int STREAMS = 8;

    /** Creates the suite. */
    protected TypedStreamContract() {}

    /** A service that publishes this, its peers, and its client. */
    private record Served(Peers peers, TypedService service, Desk desk) {}

    private Served publishing(Flow.Publisher<Long> publisher, ServeOptions options) {
        Peers peers = connectNodes();
        TypedService service = TypedServices.serve(serverNode(), Desk.class, desk(publisher), TextCodec.TEXT, options);
        return new Served(peers, service, TypedServices.client(peers.client(), Desk.class, TextCodec.TEXT, LASTING));
    }

    private static Desk desk(Flow.Publisher<Long> publisher) {
        return new PlainDesk() {
            @Override
            public Flow.Publisher<Long> count(String what) {
                return publisher;
            }
        };
    }

    private Served publishing(Flow.Publisher<Long> publisher) {
        return publishing(publisher, ServeOptions.DEFAULT);
    }

    private void assertNoStream(Served served) {
        until(() -> served.service().streams() == 0, "streams to end");
        assertNothingLeft();
    }

    @Test
    @Semantics("Y-20")
    void shouldDeliverItemsInOrderAndTheEnd() {
        int count = repetitions(10_000);
        Served served = publishing(new Numbers(count));
        List<Items> streams = new ArrayList<>();
        Flow.Publisher<Long> publisher = served.desk().count("numbers");
        for (int i = 0; i < STREAMS; i++) {
            streams.add(Items.of(publisher).request(Long.MAX_VALUE));
        }
        for (Items items : streams) {
            items.expect(0, count);
            assertEquals("complete", items.next());
        }
        assertNoStream(served);
    }

    @Test
    @Semantics("Y-20")
    void shouldDeliverWhatAnotherThreadPublishes() {
        int count = repetitions(10_000);
        SubmissionPublisher<Long> publisher = closeLater(new SubmissionPublisher<>());
        Served served = publishing(publisher);
        Items items = Items.of(served.desk().count("numbers")).request(Long.MAX_VALUE);
        until(publisher::hasSubscribers, "the subscriber");
        for (long i = 0; i < count; i++) {
            publisher.submit(i);
        }
        publisher.close();
        items.expect(0, count);
        assertEquals("complete", items.next());
        assertNoStream(served);
    }

    @Test
    @Semantics("Y-21")
    void shouldAskThePublisherForNoMoreThanTheSubscriberDoes() {
        Numbers numbers = new Numbers(1000);
        Served served = publishing(numbers);
        Items items = Items.of(served.desk().count("numbers"));
        items.request(3).expect(0, 3);
        items.request(1).request(1).expect(3, 5);
        assertEquals(5, numbers.asked.get());
        for (long i = 5; i < 1000; i++) {
            items.request(1).expect(i, i + 1);
        }
        // No demand is needed to learn of the end.
        assertEquals("complete", items.next());
        assertEquals(1000, numbers.asked.get());
        assertTrue(items.signals.isEmpty());
        assertNoStream(served);
    }

    @Test
    @Semantics("Y-22")
    void shouldDeliverItemsBeforeAFailure() {
        Served served = publishing(new Numbers(2, new RequestException(RequestStatus.NOT_FOUND, "no more numbers")));
        Items items = Items.of(served.desk().count("numbers")).request(10);
        items.expect(0, 2);
        assertEquals("no more numbers", items.refusal(RequestStatus.NOT_FOUND).text());
        assertNoStream(served);
        served.service().close();
        TypedServices.serve(
                serverNode(), Desk.class, desk(new Numbers(0, new IllegalStateException("secret"))), TextCodec.TEXT);
        RequestException refused =
                Items.of(served.desk().count("numbers")).request(1).refusal(RequestStatus.FAILED);
        assertEquals("the handler threw IllegalStateException", refused.text());
    }

    @Test
    @Semantics("Y-22")
    void shouldFailAStreamThatCannotBeOpened() {
        Peers peers = connectNodes();
        Desk desk = TypedServices.client(peers.client(), Desk.class, TextCodec.TEXT, LASTING);
        Items missing = Items.of(desk.count("numbers"));
        missing.refusal(RequestStatus.UNIMPLEMENTED);
        TypedService service = TypedServices.serve(
                serverNode(),
                Desk.class,
                new PlainDesk() {
                    @Override
                    public Flow.Publisher<Long> count(String what) {
                        throw new RequestException(RequestStatus.PERMISSION_DENIED, what);
                    }
                },
                TextCodec.TEXT);
        Items refused = Items.of(desk.count("numbers")).request(1);
        assertEquals("numbers", refused.refusal(RequestStatus.PERMISSION_DENIED).text());
        assertEquals(0, service.streams());
        assertTrue(missing.signals.isEmpty() && refused.signals.isEmpty());
    }

    @Test
    @Semantics("Y-23")
    void shouldCancelThePublisherWhenTheSubscriberCancels() {
        Numbers numbers = new Numbers(Long.MAX_VALUE);
        Served served = publishing(numbers);
        Items items = Items.of(served.desk().count("numbers")).request(2);
        items.expect(0, 2);
        items.subscription().cancel();
        items.subscription().cancel();
        take(numbers.ends, "the publisher to be cancelled");
        // Before the service has answered.
        Items early = Items.of(served.desk().count("numbers")).request(1);
        early.subscription().cancel();
        assertNoStream(served);
        assertTrue(items.signals.isEmpty());
        assertTrue(early.signals.stream().noneMatch(signal -> signal instanceof Throwable));
    }

    @Test
    @Semantics("Y-24")
    void shouldEndStreamsWithTheirConnection() {
        Numbers numbers = new Numbers(Long.MAX_VALUE);
        Served served = publishing(numbers);
        Items reading = Items.of(served.desk().count("numbers")).request(1);
        assertEquals(0L, reading.next());
        served.peers().client().abort();
        reading.refusal(RequestStatus.UNAVAILABLE);
        take(numbers.ends, "the publisher to be cancelled");
        assertNoStream(served);
        reading.request(1);
        assertTrue(reading.signals.isEmpty());
    }

    @Test
    @Semantics("Y-25")
    void shouldLimitTheStreamsOfAPeer() {
        Served served = publishing(
                new Numbers(Long.MAX_VALUE), ServeOptions.DEFAULT.withStreams(2, 1 << 10, Duration.ofMinutes(1)));
        Items first = Items.of(served.desk().count("numbers")).request(1);
        Items second = Items.of(served.desk().count("numbers")).request(1);
        assertEquals(0L, first.next());
        assertEquals(0L, second.next());
        RequestException refused = Items.of(served.desk().count("numbers")).refusal(RequestStatus.RESOURCE_EXHAUSTED);
        assertTrue(refused.text().contains("streams=2"), refused::text);
        first.subscription().cancel();
        until(() -> served.service().streams() == 1, "a stream to end");
        Items third = Items.of(served.desk().count("numbers")).request(1);
        assertEquals(0L, third.next());
        second.subscription().cancel();
        third.subscription().cancel();
        assertNoStream(served);
    }

    @Test
    @Semantics("Y-26")
    void shouldAskForNoItemWhileTheLimitOfBytesWaits() {
        Numbers numbers = new Numbers(Long.MAX_VALUE);
        // Each item is longer than the limit: one waits.
        Served served = publishing(numbers, ServeOptions.DEFAULT.withStreams(1, 1, Duration.ofMinutes(1)));
        BlockingQueue<Long> got = new LinkedBlockingQueue<>();
        BlockingQueue<Long> allowed = new LinkedBlockingQueue<>();
        served.desk().count("numbers").subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(Long item) {
                got.add(item);
                take(allowed, "the case to go on");
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        });
        for (long i = 0; i < STREAMS; i++) {
            assertEquals(i, take(got, "an item"));
            long asked = numbers.asked.get();
            assertTrue(asked <= i + 2, () -> "asked for " + asked);
            allowed.add(i);
        }
        served.service().close();
        allowed.addAll(List.of(1L, 2L, 3L));
        assertNoStream(served);
    }

    @Test
    @Semantics("Y-27")
    void shouldEndStreamsWhoseSubscribersAskForNothing() {
        Numbers numbers = new Numbers(Long.MAX_VALUE);
        Served served = publishing(numbers, ServeOptions.DEFAULT.withStreams(4, 1 << 10, Duration.ofMillis(50)));
        Items items = Items.of(served.desk().count("numbers")).request(1);
        assertEquals(0L, items.next());
        RequestException refused = items.refusal(RequestStatus.DEADLINE_EXCEEDED);
        assertTrue(refused.text().contains("50 ms"), refused::text);
        take(numbers.ends, "the publisher to be cancelled");
        assertNoStream(served);
    }

    @Test
    @Semantics("Y-27")
    void shouldKeepStreamsWhosePublishersHaveNothing() {
        try (SubmissionPublisher<Long> publisher = new SubmissionPublisher<>()) {
            Served served = publishing(publisher, ServeOptions.DEFAULT.withStreams(4, 1 << 10, Duration.ofMillis(50)));
            Items items = Items.of(served.desk().count("numbers")).request(1);
            // Longer than the stream may be idle and than one request for items waits.
            Items idle = Items.of(served.desk().count("numbers"));
            idle.refusal(RequestStatus.DEADLINE_EXCEEDED);
            for (int i = 0; i < 3; i++) {
                Items.of(served.desk().count("numbers")).refusal(RequestStatus.DEADLINE_EXCEEDED);
            }
            publisher.submit(7L);
            assertEquals(7L, items.next());
        }
    }

    @Test
    @Semantics("Y-28")
    void shouldEndStreamsOfSubscribersThatBreakTheRules() {
        Numbers numbers = new Numbers(Long.MAX_VALUE);
        Served served = publishing(numbers);
        Items items = Items.of(served.desk().count("numbers")).request(1);
        assertEquals(0L, items.next());
        items.request(0);
        assertInstanceOf(IllegalArgumentException.class, items.next());
        take(numbers.ends, "the publisher to be cancelled");
        served.desk().count("numbers").subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(2);
            }

            @Override
            public void onNext(Long item) {
                throw new IllegalStateException("thrown on purpose");
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        });
        take(numbers.ends, "the publisher to be cancelled");
        assertNoStream(served);
        assertTrue(items.signals.isEmpty());
    }

    @Test
    @Semantics("Y-29")
    void shouldKeepAStreamAtItsMemberUntilTheServiceCloses() {
        Server one = answering("one");
        Server two = answering("two");
        Numbers numbers = new Numbers(Long.MAX_VALUE);
        List<TypedService> services = List.of(
                TypedServices.serve(one.node(), Desk.class, desk(numbers), TextCodec.TEXT),
                TypedServices.serve(two.node(), Desk.class, desk(numbers), TextCodec.TEXT));
        PeerSet set = open(one, two);
        Desk desk = TypedServices.client(set, Desk.class, TextCodec.TEXT, LASTING);
        List<Items> streams = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            streams.add(Items.of(desk.count("numbers")));
        }
        for (int i = 0; i < STREAMS; i++) {
            for (Items items : streams) {
                items.request(1).expect(i, i + 1);
            }
        }
        assertEquals(STREAMS, services.get(0).streams() + services.get(1).streams());
        services.forEach(TypedService::close);
        for (Items items : streams) {
            RequestException refused = assertInstanceOf(RequestException.class, items.next());
            assertTrue(
                    refused.status() == RequestStatus.UNAVAILABLE || refused.status() == RequestStatus.UNIMPLEMENTED,
                    refused::getMessage);
            take(numbers.ends, "the publisher to be cancelled");
        }
    }
}
