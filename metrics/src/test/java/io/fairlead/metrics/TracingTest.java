package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.TransportInfo;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.Topic;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.SenderContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelBaggageManager;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces that cross from one process to the other, as OpenTelemetry behind Micrometer sees them; each side has tracing of its own. */
@Timeout(120)
final class TracingTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long TAG = 7;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Tracing here = new Tracing();
    private final Tracing there = new Tracing();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "ucx"})
    void shouldContinueTheSendersTraceInTheReceiversCallback(String transport) {
        Peer peer = connect(transport);
        CompletableFuture<String> traceOfCallback =
                node("server").receive(TAG).thenApply(message -> there.currentTrace());
        String trace = sendTraced(peer);

        assertEquals(trace, traceOfCallback.join());
        there.await("deliver client");
        SpanData send = here.span("send server");
        SpanData deliver = there.span("deliver client");
        assertEquals(trace, send.getTraceId());
        assertEquals(trace, deliver.getTraceId());
        assertEquals(send.getSpanId(), deliver.getParentSpanId());
        assertEquals(SpanKind.PRODUCER, send.getKind());
        assertEquals(SpanKind.CONSUMER, deliver.getKind());
        assertNotEquals(trace, there.span("receive").getTraceId(), "the wait is not the sender's");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "ucx"})
    void shouldContinueTheSendersTraceWhereTheMessageIsWorkedOn(String transport) {
        Peer peer = connect(transport);
        CompletableFuture<Message> received = node("server").receive(TAG);
        String trace = sendTraced(peer);
        try (Message message = received.join()) {
            assertTrue(
                    message.context().value("traceparent").orElseThrow().contains(trace), message.context()::toString);
            there.observations.process(message).observe(() -> assertEquals(trace, there.currentTrace()));
        }
        assertEquals(trace, there.span("process client").getTraceId());
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "ucx"})
    void shouldContinueThePublishersTraceInTheSubscribersHandler(String transport) {
        Context publishing = opened(Context.open(config("publisher", transport)));
        Context subscribing = opened(Context.open(config("subscriber", transport)));
        requireUsable(publishing, transport);
        Worker from = opened(publishing.newWorker());
        Worker to = opened(subscribing.newWorker());
        Publisher publisher = opened(Publisher.listen(from, ANY_PORT));
        Topic topic = publisher.topic("prices");
        List<String> traces = new ArrayList<>();
        MessageHandler handler = (name, sequence, buffer, offset, length) -> traces.add(there.currentTrace());
        Subscriber subscriber = opened(Subscriber.connect(to, publisher.address()));
        Subscription subscription = subscriber.subscribe("prices", there.observations.observe(handler));
        while (subscription.state() != SubscriptionState.LIVE) {
            turn(from, to, publisher, subscriber);
        }
        MemorySegment message = Arena.ofAuto().allocate(8);
        topic.publish(message, 0, 8);
        Observation order = Observation.start("order", here.registry);
        String trace;
        try (Observation.Scope _ = order.openScope()) {
            trace = here.currentTrace();
            here.observations.observe(topic).publish(message, 0, 8);
        } finally {
            order.stop();
        }
        while (traces.size() < 2) {
            turn(from, to, publisher, subscriber);
        }

        assertEquals(List.of("", trace), traces, "a message without a trace, and one with");
        SpanData deliver = there.span("deliver prices");
        assertEquals(trace, deliver.getTraceId());
        assertEquals(here.span("publish prices").getSpanId(), deliver.getParentSpanId());
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "ucx"})
    void shouldSendWithoutATraceThatIsTooLong(String transport) {
        Peer peer = connect(transport);
        here.baggage = "x".repeat(MessageContext.BYTES_MAX);
        CompletableFuture<Message> received = node("server").receive(TAG);
        sendTraced(peer);
        sendTraced(peer);
        assertEquals(MessageContext.EMPTY, received.join().context());
        assertEquals(2, here.observations.contextsDropped());
        here.baggage = "";
        sendTraced(peer);
        assertTrue(node("server").receive(TAG).join().context().isEmpty(), "the second of those that were too long");
        assertFalse(node("server").receive(TAG).join().context().isEmpty(), "the last, which was not");
    }

    /** Sends a message inside an observation, and tells the trace of that. */
    private String sendTraced(Peer peer) {
        Observation order = Observation.start("order", here.registry);
        try (Observation.Scope _ = order.openScope()) {
            String trace = here.currentTrace();
            peer.send(new byte[3], TAG).join();
            return trace;
        } finally {
            order.stop();
        }
    }

    private final List<Node> nodes = new ArrayList<>();

    private Node node(String name) {
        return nodes.get(name.equals("server") ? 0 : 1);
    }

    private Peer connect(String transport) {
        Node server = opened(Node.start(config("server", transport)));
        nodes.add(server);
        Node client = opened(Node.start(config("client", transport)));
        nodes.add(client);
        requireUsable(server.context(), transport);
        client.observe(here.observations);
        server.observe(there.observations);
        Peer peer = client.connect(server.listen(ANY_PORT, accepted -> {}).address())
                .join();
        assertEquals(transport, peer.path().transport());
        return peer;
    }

    /** Beside TCP, which can always be used: a host without a transport leaves out the cases that are about it, and says why. */
    private static FairleadConfig config(String name, String transport) {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.NODE_NAME, name);
        return config.with(ConfigKeys.TRANSPORTS, transport.equals("tcp") ? "tcp" : transport + ",tcp");
    }

    private static void requireUsable(Context context, String transport) {
        TransportInfo info = context.transports().stream()
                .filter(candidate -> candidate.name().equals(transport))
                .findFirst()
                .orElseThrow();
        assumeTrue(!info.capabilities().isEmpty(), info::toString);
    }

    private static void turn(Worker from, Worker to, Publisher publisher, Subscriber subscriber) {
        from.progress();
        to.progress();
        requireTime();
    }

    /** Ends a wait that JUnit's time-out has interrupted. */
    private static void requireTime() {
        assertFalse(Thread.currentThread().isInterrupted(), "out of time");
        Thread.onSpinWait();
    }

    private <T extends AutoCloseable> T opened(T closeable) {
        open.add(closeable);
        return closeable;
    }

    /** What an application sets up, or has set up for it, and a list where its spans end. */
    private static final class Tracing implements SpanExporter {
        private final List<SpanData> spans = new CopyOnWriteArrayList<>();
        private final ObservationRegistry registry = ObservationRegistry.create();
        private final FairleadObservations observations = FairleadObservations.of(registry);
        private final Tracer tracer;
        private volatile String baggage = "";

        private Tracing() {
            SdkTracerProvider provider = SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(this))
                    .build();
            io.opentelemetry.api.trace.Tracer otel = provider.get("test");
            OtelCurrentTraceContext current = new OtelCurrentTraceContext();
            tracer = new OtelTracer(otel, current, _ -> {}, new OtelBaggageManager(current, List.of(), List.of()));
            Propagator propagator =
                    new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()), otel);
            registry.observationConfig()
                    .observationHandler(new ObservationHandler.FirstMatchingCompositeObservationHandler(
                            new WithBaggage(tracer, propagator),
                            new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                            new DefaultTracingObservationHandler(tracer)));
        }

        /** Carries more than a trace, as applications' baggage does. */
        private final class WithBaggage
                extends PropagatingSenderTracingObservationHandler<SenderContext<Map<String, String>>> {
            private WithBaggage(Tracer tracer, Propagator propagator) {
                super(tracer, propagator);
            }

            @Override
            public void onStart(SenderContext<Map<String, String>> context) {
                super.onStart(context);
                if (!baggage.isEmpty()) {
                    context.getSetter().set(context.getCarrier(), "baggage", baggage);
                }
            }
        }

        String currentTrace() {
            return tracer.currentSpan() == null
                    ? ""
                    : tracer.currentSpan().context().traceId();
        }

        SpanData span(String name) {
            List<SpanData> found =
                    spans.stream().filter(span -> span.getName().equals(name)).toList();
            assertEquals(1, found.size(), () -> name + " in " + spans);
            return found.getFirst();
        }

        /** The observation ends when the callbacks have returned, which is after the future has told its value. */
        void await(String name) {
            while (spans.stream().noneMatch(span -> span.getName().equals(name))) {
                requireTime();
            }
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }
}
