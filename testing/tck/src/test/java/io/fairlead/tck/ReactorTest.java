package io.fairlead.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.FlowSink;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PublisherEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reactor's streams over topics: what is published on one node is received on another. */
@Timeout(120)
final class ReactorTest {
    private static final Duration DEADLINE = Duration.ofSeconds(Nodes.DEADLINE_S);

    private static Flux<Long> received(Nodes nodes) {
        return JdkFlowAdapter.flowPublisherToFlux(
                nodes.subscriber().flow("words", message -> message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)));
    }

    private static NodeTopic topic(Nodes nodes) {
        return Nodes.get(nodes.publisher().topic("words"));
    }

    private static FlowSink<Long> sink(NodeTopic topic) {
        return topic.flow(element -> MemorySegment.ofArray(new long[] {element}));
    }

    private static void publish(Flux<Long> flux, FlowSink<Long> sink) {
        JdkFlowAdapter.publisherToFlowPublisher(flux).subscribe(sink);
    }

    private static void awaitSubscriber(NodeTopic topic) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (topic.subscriberCount() == 0) {
            assertTrue(System.nanoTime() < deadline, "waited in vain for the subscriber");
            Thread.yield();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryAFluxFromNodeToNode(Lane lane) {
        try (Nodes nodes = new Nodes(lane, PublisherEvents.NONE)) {
            NodeTopic topic = topic(nodes);
            CompletableFuture<List<Long>> all = received(nodes)
                    .publishOn(Schedulers.parallel(), 16)
                    .concatMap(element -> Mono.just(element * 2), 4)
                    .collectList()
                    .toFuture();
            awaitSubscriber(topic);
            FlowSink<Long> sink = sink(topic);
            publish(Flux.range(0, 20_000).map(Integer::longValue), sink);
            Nodes.get(sink.ended());
            assertEquals(LongStream.range(0, 20_000).mapToObj(each -> each * 2).toList(), Nodes.get(all));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheTopicOfAFluxThatFails(Lane lane) {
        try (Nodes nodes = new Nodes(lane, PublisherEvents.NONE)) {
            NodeTopic topic = topic(nodes);
            CompletableFuture<Long> count = received(nodes)
                    .count()
                    .onErrorResume(
                            FairleadException.class,
                            error -> error.reason() == Reason.REFUSED ? Mono.just(-1L) : Mono.error(error))
                    .toFuture();
            awaitSubscriber(topic);
            FlowSink<Long> sink = sink(topic);
            publish(Flux.just(1L, 2L).concatWith(Mono.error(new ArithmeticException("on purpose"))), sink);
            assertEquals(-1, Nodes.get(count));
            Exception failure = assertThrows(RuntimeException.class, () -> Nodes.get(sink.ended()));
            assertInstanceOf(ArithmeticException.class, failure.getCause());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCancelWhereReactorHasEnough(Lane lane) {
        try (Nodes nodes = new Nodes(lane, PublisherEvents.NONE)) {
            NodeTopic topic = topic(nodes);
            CompletableFuture<List<Long>> three =
                    received(nodes).take(3).collectList().toFuture();
            awaitSubscriber(topic);
            FlowSink<Long> sink = sink(topic);
            publish(
                    Flux.generate(() -> 0L, (next, emitter) -> {
                        emitter.next(next);
                        return next + 1;
                    }),
                    sink);
            assertEquals(List.of(0L, 1L, 2L), Nodes.get(three));
            Nodes.get(topic.close());
            Exception failure = assertThrows(RuntimeException.class, () -> Nodes.get(sink.ended()));
            assertEquals(
                    Reason.CLOSED,
                    assertInstanceOf(FairleadException.class, failure.getCause())
                            .reason());
        }
    }
}
