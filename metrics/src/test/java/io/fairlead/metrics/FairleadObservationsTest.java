package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceOptions;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Topic;
import io.fairlead.statistics.OperationKind;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.tracer.common.SpanContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
final class FairleadObservationsTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long TAG = 7;

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final Observed observed = new Observed();
    private Node server;
    private Node client;
    private Peer peer;

    @BeforeEach
    void connect() {
        registry.observationConfig().observationHandler(observed);
        server = Node.start(config("server"));
        client = Node.start(config("client"));
        peer = client.connect(server.listen(ANY_PORT, accepted -> {}).address()).join();
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void shouldObserveSendsAndReceivesFromTheCallToTheEnd() {
        client.observe(FairleadObservations.of(registry));
        server.observe(FairleadObservations.of(registry));
        CompletableFuture<Message> received = server.receive(TAG);
        assertEquals(List.of("fairlead.receive"), observed.started);
        assertEquals(List.of(), observed.stopped);
        peer.send(new byte[3], TAG).join();
        received.join();

        Observation.Context send = observed.only("fairlead.send");
        assertEquals("send server", send.getContextualName());
        assertEquals("send", value(send, "fairlead.operation"));
        assertEquals("tcp", value(send, "fairlead.transport"));
        assertEquals("ok", value(send, "fairlead.outcome"));
        assertEquals("3", value(send, "fairlead.length"));
        assertEquals("server", value(send, "fairlead.peer"));
        assertNull(send.getError());
        Observation.Context receive = observed.only("fairlead.receive");
        assertEquals("any", value(receive, "fairlead.transport"));
        assertEquals("ok", value(receive, "fairlead.outcome"));
    }

    @Test
    void shouldHangOperationsOnTheObservationOfTheirCaller() {
        client.observe(FairleadObservations.of(registry));
        Observation order = Observation.start("order", registry);
        CompletableFuture<Void> sent;
        try (Observation.Scope _ = order.openScope()) {
            sent = peer.send(new byte[1], TAG);
        }
        sent.join();
        order.stop();
        assertEquals(
                order.getContextView(),
                Objects.requireNonNull(observed.only("fairlead.send").getParentObservation())
                        .getContextView());
    }

    @Test
    void shouldObserveRequestsByTheKeysOfRemoteCalls() {
        FairleadObservations observations = FairleadObservations.of(registry);
        client.observe(observations);
        server.observe(observations);
        // What a tracer does: without a context there is nothing for the service to continue.
        registry.observationConfig().observationHandler(new ObservationHandler<RequestObservation>() {
            @Override
            public void onStart(RequestObservation context) {
                context.getSetter().set(context.getCarrier(), "traceparent", "00-1-2-01");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof RequestObservation;
            }
        });
        server.serve(
                TAG,
                request -> {
                    throw new RequestException(RequestStatus.NOT_FOUND, "none");
                },
                ServiceOptions.DEFAULT.named("com.example.Orders/find"));
        CompletableFuture<Message> reply = peer.request(new byte[3], TAG, Duration.ofSeconds(30));
        assertThrows(CompletionException.class, reply::join);

        Observation.Context request = observed.only("fairlead.request");
        assertEquals("7", request.getContextualName());
        assertEquals("fairlead", value(request, "rpc.system"));
        assertEquals("7", value(request, "rpc.service"));
        assertEquals("_OTHER", value(request, "rpc.method"));
        assertEquals("NOT_FOUND", value(request, "rpc.response.status_code"));
        assertEquals("tcp", value(request, "fairlead.transport"));
        assertEquals("server", value(request, "fairlead.peer"));
        assertEquals("3", value(request, "fairlead.length"));
        // The answer may be here before the handler has returned.
        while (observed.stopped.stream().noneMatch(context -> context.getName().equals("fairlead.handle"))) {
            Thread.yield();
        }
        Observation.Context handle = observed.only("fairlead.handle");
        assertEquals("com.example.Orders/find", handle.getContextualName());
        assertEquals("com.example.Orders", value(handle, "rpc.service"));
        assertEquals("find", value(handle, "rpc.method"));
        assertEquals("client", value(handle, "fairlead.source"));
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void shouldObserveACancelledRequestAsCancelled(Ending ending) {
        client.observe(FairleadObservations.of(registry));
        server.serve(TAG, _ -> {});
        CompletableFuture<Message> reply = peer.request(new byte[3], TAG, Duration.ofSeconds(60));
        ending.end(reply);
        assertEquals("CANCELLED", value(observed.only("fairlead.request"), "rpc.response.status_code"));
        assertEquals(
                1,
                RequestStatistics.of(client.context()).services().getFirst().count(RequestStatus.CANCELLED),
                "as it is counted");
    }

    /** What a caller does to a future whose answer it does not want any more. */
    private enum Ending {
        CANCEL {
            @Override
            void end(CompletableFuture<Message> reply) {
                assertTrue(reply.cancel(false));
            }
        },
        TIME_OUT {
            @Override
            void end(CompletableFuture<Message> reply) {
                assertThrows(CompletionException.class, reply.orTimeout(1, TimeUnit.MILLISECONDS)::join);
            }
        },
        VALUE {
            @Override
            void end(CompletableFuture<Message> reply) {
                assertTrue(reply.complete(null));
            }
        };

        abstract void end(CompletableFuture<Message> reply);
    }

    @Test
    void shouldObserveARequestWithoutAnAnswerByItsDeadline() {
        client.observe(FairleadObservations.of(registry));
        server.serve(TAG, _ -> {});
        CompletableFuture<Message> reply = peer.request(new byte[3], TAG, Duration.ofMillis(1));
        assertThrows(CompletionException.class, reply::join);
        assertEquals("DEADLINE_EXCEEDED", value(observed.only("fairlead.request"), "rpc.response.status_code"));
    }

    @Test
    void shouldObserveRemoteMemory() {
        client.observe(FairleadObservations.of(registry));
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = server.allocate(64, Set.of(AccessRight.READ, AccessRight.WRITE, AccessRight.ATOMIC));
            PeerKey key = peer.unpack(region.packedKey()).join();
            MemorySegment memory = arena.allocate(16, 8);
            peer.put(memory, key, 0).join();
            peer.flush().join();
            peer.get(memory, key, 0).join();
            peer.fetchAdd(1, key, 8).join();
        }
        for (String name : List.of("fairlead.put", "fairlead.flush", "fairlead.get", "fairlead.atomic")) {
            assertEquals("ok", value(observed.only(name), "fairlead.outcome"));
        }
        assertEquals(4, observed.stopped.size(), "unpacking a key moves nothing, and is none");
    }

    @Test
    void shouldLetTheTimersOfObservationsCarryExemplars() {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(
                PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM, new OneSpan());
        meters.config().meterFilter(new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return DistributionStatisticConfig.builder()
                        .percentilesHistogram(true)
                        .build()
                        .merge(config);
            }
        });
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        client.observe(FairleadObservations.of(registry));
        peer.send(new byte[1], TAG).join();
        String scraped = meters.scrape("application/openmetrics-text; version=1.0.0");
        assertTrue(
                scraped.lines()
                        .anyMatch(line -> line.startsWith("fairlead_send_seconds_bucket{")
                                && line.contains("trace_id=\"" + OneSpan.TRACE + "\"")),
                scraped);
    }

    /** A tracer in the middle of the same span for ever. */
    private static final class OneSpan implements SpanContext {
        private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

        @Override
        public String getCurrentTraceId() {
            return TRACE;
        }

        @Override
        public String getCurrentSpanId() {
            return "b7ad6b7169203331";
        }

        @Override
        public boolean isCurrentSpanSampled() {
            return true;
        }

        @Override
        public void markCurrentSpanAsExemplar() {
            // Nobody asks.
        }
    }

    @Test
    void shouldTellHowAnOperationFailed() {
        server.observe(FairleadObservations.of(registry));
        CompletableFuture<Message> received = server.receive(TAG, Worker.FULL_TAG_MASK, 1);
        peer.send(new byte[2], TAG).join();
        assertThrows(CompletionException.class, received::join);
        assertInstanceOf(
                FairleadException.class, observed.only("fairlead.receive").getError());
        assertEquals("truncated", value(observed.only("fairlead.receive"), "fairlead.outcome"));
    }

    @Test
    void shouldEndTheObservationOfAReceiveThatItsCallerWithdraws() {
        server.observe(FairleadObservations.of(registry));
        CompletableFuture<Message> received = server.receive(TAG);
        assertTrue(received.cancel(false));
        assertEquals("cancelled", value(observed.only("fairlead.receive"), "fairlead.outcome"));
    }

    @Test
    void shouldEndEveryObservationWhenTheNodeCloses() {
        server.observe(FairleadObservations.of(registry));
        CompletableFuture<Message> received = server.receive(TAG);
        server.close();
        assertThrows(CompletionException.class, received::join);
        CompletableFuture<Message> late = server.receive(TAG);
        assertThrows(CompletionException.class, late::join);
        assertEquals(2, observed.stopped.size());
        observed.stopped.forEach(context -> assertEquals("closed", value(context, "fairlead.outcome")));
    }

    @Test
    void shouldNotNoticeAnObserverThatThrows() {
        client.observe((operation, of, length) -> {
            throw new IllegalStateException("an observer's mistake");
        });
        peer.send(new byte[1], TAG).join();
        client.observe((operation, of, length) -> failure -> {
            throw new IllegalStateException("an observer's other mistake");
        });
        peer.send(new byte[1], TAG).join();
        server.receive(TAG).join();
        server.receive(TAG).join();
    }

    @Test
    void shouldTellAnObserverOfEachOperationOnceAndNobodyWhenItHasLeft() {
        List<String> heard = new CopyOnWriteArrayList<>();
        client.observe((operation, of, length) -> {
            heard.add(operation + " " + of.map(Peer::name).orElse("any") + " " + length);
            return failure -> heard.add("end " + operation + " " + failure.isPresent());
        });
        peer.send(new byte[5], TAG).join();
        client.observe(NodeObserver.NONE);
        peer.send(new byte[6], TAG).join();
        assertEquals(List.of("SEND server 5", "end SEND false"), heard);
    }

    @Test
    void shouldMakeNoObservationsForARegistryThatWantsNone() {
        NodeObserver.Running running =
                FairleadObservations.of(ObservationRegistry.NOOP).started(OperationKind.SEND, Optional.of(peer), 1);
        running.ended(Optional.empty());
        client.observe(FairleadObservations.of(ObservationRegistry.NOOP));
        peer.send(new byte[1], TAG).join();
    }

    @Test
    void shouldObserveEachPublish() {
        try (Context context = Context.open(config("publisher"));
                Worker worker = context.newWorker();
                Publisher publisher = Publisher.listen(worker, ANY_PORT);
                Arena arena = Arena.ofConfined()) {
            Topic plain = publisher.topic("prices");
            Topic topic = FairleadObservations.of(registry).observe(plain);
            MemorySegment message = arena.allocate(8);
            assertEquals(1, topic.publish(message, 0, 8));
            assertEquals(2, topic.publish(message, 0, 4));
            assertEquals(2, plain.sequence());
            assertThrows(IndexOutOfBoundsException.class, () -> topic.publish(message, 0, 9));
        }
        assertEquals(
                List.of("ok", "ok", "error"),
                observed.stopped.stream()
                        .map(context -> value(context, "fairlead.outcome"))
                        .toList());
        observed.stopped.forEach(context -> assertEquals("prices", value(context, "fairlead.topic")));
    }

    @ParameterizedTest
    @EnumSource(Thrower.Where.class)
    void shouldDoTheWorkWhateverHandlersThrow(Thrower.Where where) {
        registry.observationConfig().observationHandler(new Thrower(where));
        FairleadObservations observations = FairleadObservations.of(registry);
        List<Long> handled = new ArrayList<>();
        MessageHandler handler = observations.observe(new MessageHandler() {
            @Override
            public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
                handled.add(sequence);
                throw new IllegalStateException("the handler's own");
            }
        });
        IllegalStateException own = assertThrows(
                IllegalStateException.class,
                () -> handler.message("prices", 3, MemorySegment.NULL, 0, 0, MessageContext.of(Map.of("a", "b"))));
        assertEquals("the handler's own", own.getMessage());
        assertEquals(List.of(3L), handled);
        client.observe(observations);
        server.observe(observations);
        peer.send(new byte[1], TAG).join();
        assertEquals(1, server.receive(TAG).join().length());
        try (Context context = Context.open(config("publisher"));
                Worker worker = context.newWorker();
                Publisher publisher = Publisher.listen(worker, ANY_PORT);
                Arena arena = Arena.ofConfined()) {
            Topic topic = observations.observe(publisher.topic("prices"));
            assertEquals(1, topic.publish(arena.allocate(8), 0, 8));
        }
    }

    private static FairleadConfig config(String name) {
        return FairleadConfig.defaults().with(ConfigKeys.NODE_NAME, name).with(ConfigKeys.TRANSPORTS, "tcp");
    }

    private static String value(Observation.Context context, String key) {
        return Objects.requireNonNull(
                        context.getAllKeyValues().stream()
                                .filter(keyValue -> keyValue.getKey().equals(key))
                                .findFirst()
                                .orElse(null),
                        key)
                .getValue();
    }

    /** Throws what nobody declares, in one of its methods. */
    private record Thrower(Where where) implements ObservationHandler<Observation.Context> {
        enum Where {
            START,
            SCOPE_OPENED,
            SCOPE_CLOSED,
            ERROR,
            STOP
        }

        @Override
        public void onStart(Observation.Context context) {
            throwAt(Where.START);
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            throwAt(Where.SCOPE_OPENED);
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            throwAt(Where.SCOPE_CLOSED);
        }

        @Override
        public void onError(Observation.Context context) {
            throwAt(Where.ERROR);
        }

        @Override
        public void onStop(Observation.Context context) {
            throwAt(Where.STOP);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        private void throwAt(Where here) {
            if (here == where) {
                throw sneaky(new IOException("a handler's mistake"));
            }
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
            throw (T) thrown;
        }
    }

    /** What handlers are told, by any thread. */
    private static final class Observed implements ObservationHandler<Observation.Context> {
        private final List<String> started = new CopyOnWriteArrayList<>();
        private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();

        @Override
        public void onStart(Observation.Context context) {
            started.add(context.getName());
        }

        @Override
        public void onStop(Observation.Context context) {
            stopped.add(context);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        Observation.Context only(String name) {
            List<Observation.Context> found = stopped.stream()
                    .filter(context -> name.equals(context.getName()))
                    .toList();
            assertEquals(1, found.size(), () -> name + " in " + started);
            return found.getFirst();
        }
    }
}
