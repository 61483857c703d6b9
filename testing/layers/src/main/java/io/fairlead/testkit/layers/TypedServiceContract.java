package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceStatistics;
import io.fairlead.services.ClientOptions;
import io.fairlead.services.TypedService;
import io.fairlead.services.TypedServices;
import io.fairlead.services.WireName;
import io.fairlead.testkit.contract.Semantics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Calls of typed services: names, codecs, failures, deadlines, drain. */
public class TypedServiceContract extends TypedCases {
    private static final ClientOptions LASTING = ClientOptions.DEFAULT.withDeadline(LONG);
    private static final int CALLERS = 16;

    /** Creates the suite. */
    protected TypedServiceContract() {}

    private Desk client(Peer peer) {
        return TypedServices.client(peer, Desk.class, TextCodec.TEXT, LASTING);
    }

    private Desk serving(Desk desk) {
        Peers peers = connectNodes();
        TypedServices.serve(serverNode(), Desk.class, desk, TextCodec.TEXT);
        return client(peers.client());
    }

    @Test
    @Semantics("Y-01")
    void shouldReturnWhatTheMethodOfTheServiceReturned() {
        BlockingQueue<String> resets = new LinkedBlockingQueue<>();
        Desk desk = serving(new PlainDesk() {
            @Override
            public void reset() {
                resets.add("reset");
            }
        });
        assertEquals("hello, Ada", desk.greet("Ada"));
        assertEquals("hello, ", desk.greet(""));
        assertEquals(42, desk.next(41));
        assertEquals("later, Ada", get(desk.later("Ada")));
        desk.reset();
        assertEquals(1, resets.size());
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int caller = 0; caller < CALLERS; caller++) {
                long from = caller * 1_000_000L;
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            for (long i = from; i < from + repetitions(200); i++) {
                                assertEquals(i + 1, desk.next(i));
                            }
                        },
                        threads));
            }
            callers.forEach(NodeCases::get);
        }
        assertNothingLeft();
    }

    @Test
    @Semantics("Y-02")
    void shouldRunMethodsWithABodyAndThoseOfObjectsAtTheCaller() {
        Desk desk = serving(new PlainDesk());
        assertEquals("hello, Ada hello, Bob", desk.greetAll("Ada", "Bob"));
        long sent = RequestStatistics.of(clientNode().context()).value(RequestCounter.SUCCEEDED);
        assertEquals(desk, desk);
        assertNotEquals(desk, client(get(clientNode().connect(address()))));
        assertEquals(desk.hashCode(), desk.hashCode());
        assertTrue(desk.toString().contains(Desk.class.getName()), desk::toString);
        assertEquals(sent, RequestStatistics.of(clientNode().context()).value(RequestCounter.SUCCEEDED));
    }

    /** An interface that was renamed, and a method of it. */
    @WireName("desk.v1")
    interface OldDesk {
        String greet(String name);
    }

    @WireName("desk.v1")
    interface NewDesk {
        @WireName("greet")
        CompletableFuture<String> welcome(String name);
    }

    @Test
    @Semantics("Y-03")
    void shouldFindServicesAndMethodsByTheirWireNames() {
        Peers peers = connectNodes();
        TypedService service =
                TypedServices.serve(serverNode(), OldDesk.class, name -> "hello, " + name, TextCodec.TEXT);
        assertEquals("desk.v1", service.name());
        NewDesk desk = TypedServices.client(peers.client(), NewDesk.class, TextCodec.TEXT, LASTING);
        assertEquals("hello, Ada", get(desk.welcome("Ada")));
        until(
                () -> counts(serverNode(), ServiceStatistics.Side.SERVICE)
                        && counts(clientNode(), ServiceStatistics.Side.CALLER),
                "the call to be counted under its name on both sides");
    }

    private static boolean counts(Node node, ServiceStatistics.Side side) {
        return RequestStatistics.of(node.context()).services().stream()
                .anyMatch(counted -> counted.side() == side
                        && counted.service().equals("desk.v1/greet")
                        && counted.count(RequestStatus.OK) == 1);
    }

    interface Overloaded {
        void call(String one);

        void call(long one);
    }

    interface Generic {
        <T> void call(T one);
    }

    interface Parameterized<T> {
        void call(T one);
    }

    interface Inheriting extends Parameterized<String> {}

    interface TwoArguments {
        void call(String one, String two);
    }

    interface Throwing {
        void call() throws IOException;
    }

    @SuppressWarnings("rawtypes")
    interface Raw {
        CompletableFuture call();
    }

    interface OtherFuture {
        Future<String> call();
    }

    interface EmptyStream {
        Flow.Publisher<Void> call();
    }

    interface Empty {
        default void call() {}
    }

    interface BadName {
        @WireName("a/b")
        void call();
    }

    interface Unsupported {
        void call(List<String> names);
    }

    @Test
    @Semantics("Y-04")
    void shouldRefuseInterfacesThatCannotBeServed() {
        Peers peers = connectNodes();
        for (Class<?> type : List.of(
                Overloaded.class,
                Generic.class,
                Parameterized.class,
                Inheriting.class,
                TwoArguments.class,
                Throwing.class,
                Raw.class,
                OtherFuture.class,
                EmptyStream.class,
                Empty.class,
                BadName.class,
                String.class,
                Unsupported.class)) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class,
                    () -> TypedServices.client(peers.client(), type, TextCodec.TEXT),
                    type::getName);
            String message = String.valueOf(refused.getMessage());
            assertEquals(1, message.lines().count(), message);
            assertTrue(message.contains(type.getSimpleName()), message);
            assertTrue(message.contains("call") || !message.startsWith("method"), message);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> TypedServices.serve(serverNode(), TwoArguments.class, (one, two) -> {}, TextCodec.TEXT));
    }

    @Test
    @Semantics("Y-05")
    void shouldServeAnInterfaceOnce() {
        Peers peers = connectNodes();
        TypedService first = TypedServices.serve(serverNode(), Desk.class, new PlainDesk(), TextCodec.TEXT);
        IllegalStateException refused = assertThrows(
                IllegalStateException.class,
                () -> TypedServices.serve(serverNode(), Desk.class, new PlainDesk(), TextCodec.TEXT));
        assertTrue(String.valueOf(refused.getMessage()).contains("/count"), refused::getMessage);
        assertEquals("hello, Ada", client(peers.client()).greet("Ada"));
        first.close();
        TypedServices.serve(serverNode(), Desk.class, new PlainDesk(), TextCodec.TEXT);
        assertEquals("hello, Ada", client(peers.client()).greet("Ada"));
    }

    @Test
    @Semantics("Y-06")
    void shouldRefuseAnotherCodec() {
        Peers peers = connectNodes();
        TypedServices.serve(serverNode(), Desk.class, new PlainDesk(), new TextCodec("plain"));
        for (String name : List.of("text", "pla", "plainer")) {
            Desk desk = TypedServices.client(peers.client(), Desk.class, new TextCodec(name), LASTING);
            RequestException refused = refusal(RequestStatus.INVALID_ARGUMENT, () -> desk.greet("Ada"));
            assertTrue(refused.text().contains("plain"), refused::text);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> TypedServices.client(peers.client(), Desk.class, new TextCodec("")));
    }

    @WireName("desk.v2")
    interface BlockingDesk {
        String greet(String name);
    }

    @WireName("desk.v2")
    interface StreamingDesk {
        Flow.Publisher<String> greet(String name);
    }

    @Test
    @Semantics("Y-07")
    void shouldRefuseMethodsThatTheServiceDoesNotHave() {
        Peers peers = connectNodes();
        Desk desk = client(peers.client());
        RequestException missing = refusal(RequestStatus.UNIMPLEMENTED, () -> desk.greet("Ada"));
        assertTrue(missing.isSafeToRetry());
        assertMentions("interface and method", missing);
        StreamingDesk streaming = name -> new Flow.Publisher<>() {
            @Override
            public void subscribe(Flow.Subscriber<? super String> subscriber) {
                throw new AssertionError(name);
            }
        };
        TypedServices.serve(serverNode(), StreamingDesk.class, streaming, TextCodec.TEXT);
        BlockingDesk blocking = TypedServices.client(peers.client(), BlockingDesk.class, TextCodec.TEXT, LASTING);
        refusal(RequestStatus.INVALID_ARGUMENT, () -> blocking.greet("Ada"));
    }

    @WireName("desk.v3")
    interface TextDesk {
        String same(String text);
    }

    @WireName("desk.v3")
    interface NumberDesk {
        long same(String text);
    }

    @WireName("desk.v3")
    interface NumberTakingDesk {
        String same(long number);
    }

    @Test
    @Semantics("Y-08")
    void shouldRefuseBytesThatAreNoSuchObject() {
        Peers peers = connectNodes();
        TypedService text = TypedServices.serve(serverNode(), TextDesk.class, same -> same, TextCodec.TEXT);
        NumberDesk reading = TypedServices.client(peers.client(), NumberDesk.class, TextCodec.TEXT, LASTING);
        assertEquals(12, reading.same("12"));
        assertTrue(refusal(RequestStatus.FAILED, () -> reading.same("secret"))
                .text()
                .endsWith("NumberFormatException"));
        text.close();
        TypedServices.serve(serverNode(), NumberTakingDesk.class, String::valueOf, TextCodec.TEXT);
        TextDesk sending = TypedServices.client(peers.client(), TextDesk.class, TextCodec.TEXT, LASTING);
        assertEquals("12", sending.same("12"));
        RequestException refused = refusal(RequestStatus.INVALID_ARGUMENT, () -> sending.same("secret"));
        assertTrue(refused.text().endsWith("NumberFormatException"), refused::text);
    }

    @Test
    @Semantics("Y-09")
    void shouldGiveCallersTheStatusAndTextOfARequestExceptionAndTheClassOfOthers() {
        AtomicReference<RuntimeException> thrown = new AtomicReference<>(new IllegalStateException("secret"));
        Desk desk = serving(new PlainDesk() {
            @Override
            public String greet(String name) {
                throw thrown.get();
            }

            @Override
            public CompletableFuture<String> later(String name) {
                return CompletableFuture.supplyAsync(() -> greet(name));
            }
        });
        String classAlone = "the handler threw IllegalStateException";
        assertEquals(
                classAlone,
                refusal(RequestStatus.FAILED, () -> desk.greet("Ada")).text());
        assertEquals(classAlone, failed(desk).text());
        thrown.set(new RequestException(RequestStatus.NOT_FOUND, "no Ada"));
        RequestException refused = refusal(RequestStatus.NOT_FOUND, () -> desk.greet("Ada"));
        assertEquals("no Ada", refused.text());
        assertTrue(String.valueOf(refused.getMessage()).contains("Desk/greet"), refused::getMessage);
        assertEquals("no Ada", failed(desk).text());
        assertEquals(RequestStatus.NOT_FOUND, failed(desk).status());
    }

    private static RequestException failed(Desk desk) {
        return assertInstanceOf(
                RequestException.class,
                desk.later("Ada").handle((_, failure) -> failure).join());
    }

    @Test
    @Semantics("Y-10")
    @SuppressWarnings("NullAway") // Nulls are what the case is about.
    void shouldCarryNoNulls() {
        Desk desk = serving(new PlainDesk() {
            @Override
            public String greet(String name) {
                return null;
            }
        });
        assertThrows(NullPointerException.class, () -> desk.greet(null));
        assertTrue(refusal(RequestStatus.FAILED, () -> desk.greet("Ada")).text().contains("null"));
    }

    @Test
    @Semantics("Y-11")
    void shouldRefusePayloadsBeyondTheLimits() {
        configure(NodeKeys.MESSAGE_MAX, 10_000);
        Peers peers = connectNodes();
        TypedServices.serve(
                serverNode(),
                Desk.class,
                new PlainDesk() {
                    @Override
                    public String greet(String length) {
                        return "x".repeat(Integer.parseInt(length.strip()));
                    }
                },
                TextCodec.TEXT);
        Desk desk = TypedServices.client(peers.client(), Desk.class, TextCodec.TEXT, LASTING.withPayloadMax(100));
        assertEquals("x", desk.greet(" ".repeat(99) + 1));
        RequestException tooLong = refusal(RequestStatus.RESOURCE_EXHAUSTED, () -> desk.greet(" ".repeat(100) + 1));
        assertTrue(tooLong.text().contains("limit=100"), tooLong::text);
        assertEquals(10_000, desk.greet("10000").length());
        assertTrue(refusal(RequestStatus.RESOURCE_EXHAUSTED, () -> desk.greet("10001"))
                .text()
                .contains("limit=10000"));
        assertNothingLeft();
    }

    @Test
    @Semantics("Y-12")
    void shouldEndCallsAtTheirDeadlines() {
        CountDownLatch finish = new CountDownLatch(1);
        Peers peers = connectNodes();
        TypedServices.serve(
                serverNode(),
                Desk.class,
                new PlainDesk() {
                    @Override
                    public String greet(String name) {
                        await(finish, "the case to end");
                        return name;
                    }
                },
                TextCodec.TEXT);
        Duration soon = Duration.ofMillis(20);
        Desk hasty = TypedServices.client(
                peers.client(), Desk.class, TextCodec.TEXT, ClientOptions.DEFAULT.withDeadline(soon));
        refusal(RequestStatus.DEADLINE_EXCEEDED, () -> hasty.greet("Ada"));
        Desk patient = client(peers.client());
        refusal(RequestStatus.DEADLINE_EXCEEDED, () -> TypedServices.within(soon, () -> patient.greet("Ada")));
        refusal(
                RequestStatus.DEADLINE_EXCEEDED,
                () -> TypedServices.within(soon, () -> TypedServices.within(LONG, () -> patient.greet("Ada"))));
        long failed = RequestStatistics.of(serverNode().context()).value(RequestCounter.REPLIED);
        refusal(RequestStatus.DEADLINE_EXCEEDED, () -> TypedServices.within(Duration.ZERO, () -> patient.next(1)));
        assertEquals(failed, RequestStatistics.of(serverNode().context()).value(RequestCounter.REPLIED));
        assertEquals(2L, TypedServices.within(LONG, () -> patient.next(1)));
        finish.countDown();
        assertNothingLeft();
    }

    @Test
    @Semantics("Y-13")
    void shouldCancelCallsWhoseCallersGiveUp() throws InterruptedException {
        BlockingQueue<CompletableFuture<String>> running = new LinkedBlockingQueue<>();
        Desk desk = serving(new PlainDesk() {
            @Override
            public CompletableFuture<String> later(String name) {
                CompletableFuture<String> future = new CompletableFuture<>();
                running.add(future);
                return future;
            }

            @Override
            public String greet(String name) {
                return later(name).join();
            }
        });
        CompletableFuture<String> call = desk.later("Ada");
        CompletableFuture<String> atService = take(running, "a call");
        call.cancel(true);
        until(atService::isCancelled, "the method's future to be cancelled");
        AtomicReference<RequestException> refused = new AtomicReference<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            refused.set(refusal(RequestStatus.CANCELLED, () -> desk.greet("Ada")));
            assertTrue(Thread.currentThread().isInterrupted());
        });
        CompletableFuture<String> interrupted = take(running, "a call");
        caller.interrupt();
        caller.join();
        assertTrue(refused.get() != null);
        interrupted.complete("too late");
        assertNothingLeft();
    }

    @Test
    @Semantics("Y-14")
    void shouldCallMembersOfASet() {
        Server one = answering("one");
        Server two = answering("two");
        TypedService first = serveNamed(one);
        serveNamed(two);
        PeerSet set = open(one, two);
        Desk desk = TypedServices.client(set, Desk.class, TextCodec.TEXT, LASTING);
        until(() -> desk.greet("").equals("one"), "a call to the first member");
        until(() -> desk.greet("").equals("two"), "a call to the second member");
        first.close();
        for (int i = 0; i < CALLERS; i++) {
            assertEquals("two", desk.greet(""));
        }
    }

    private static TypedService serveNamed(Server server) {
        return TypedServices.serve(
                server.node(),
                Desk.class,
                new PlainDesk() {
                    @Override
                    public String greet(String name) {
                        return server.member().name();
                    }
                },
                TextCodec.TEXT);
    }

    @Test
    @Semantics("Y-15")
    void shouldAnswerRunningCallsAndOpenStreamsBeforeADrainEnds() {
        configure(ConfigKeys.CLOSE_TIMEOUT, LONG.minusMinutes(9));
        Peers peers = connectNodes();
        CompletableFuture<String> answer = new CompletableFuture<>();
        BlockingQueue<String> running = new LinkedBlockingQueue<>();
        TypedService service = TypedServices.serve(
                serverNode(),
                Desk.class,
                new PlainDesk() {
                    @Override
                    public String greet(String name) {
                        running.add(name);
                        return answer.join();
                    }
                },
                TextCodec.TEXT);
        Desk desk = client(peers.client());
        CompletableFuture<String> call = CompletableFuture.supplyAsync(
                () -> desk.greet("Ada"), task -> Thread.ofVirtual().start(task));
        take(running, "a call");
        Items items = Items.of(desk.count("numbers")).request(1);
        assertEquals(0L, items.next());
        assertFalse(service.drain(Duration.ofMillis(1)));
        assertTrue(refusal(RequestStatus.UNIMPLEMENTED, () -> desk.next(1)).isSafeToRetry());
        CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(
                () -> service.drain(LONG), task -> Thread.ofVirtual().start(task));
        answer.complete("hello");
        assertEquals("hello", get(call));
        items.request(2).expect(1, 3);
        assertEquals("complete", items.next());
        assertTrue(get(drained));
        service.close();
        assertEquals(0, service.streams());
        assertNothingLeft();
    }

    @Test
    @Semantics("Y-05")
    void shouldEndWithItsNode() {
        Node node = startNode("short");
        TypedService service = TypedServices.serve(node, Desk.class, new PlainDesk(), TextCodec.TEXT);
        node.close();
        assertEquals(0, service.running());
        service.close();
        service.close();
    }
}
