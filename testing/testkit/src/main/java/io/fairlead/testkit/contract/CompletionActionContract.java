package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.spi.LayerHandler;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.internal.Thrown;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What completions and handlers may do, and what happens if they throw. */
public class CompletionActionContract extends TransportContract {
    private static final int MANY = 1000;

    /** Creates the suite. */
    protected CompletionActionContract() {}

    @Test
    @Semantics("D-09")
    void shouldAllowPostsInsideCompletions() {
        Pair pair = connect();
        MemorySegment message = pattern(16, 3);
        MemorySegment target = buffer(16);
        int[] left = {MANY};
        Completion again = new Completion() {
            @Override
            public void completed(Request request) {
                server().recorder().completed(request);
                if (--left[0] > 0) {
                    server().receive(target, 3, Worker.FULL_TAG_MASK, this);
                }
            }
        };
        Completion sendAgain = new Completion() {
            private int sent = 1;

            @Override
            public void completed(Request request) {
                client().recorder().completed(request);
                if (sent++ < MANY) {
                    pair.client().send(message, 3, this);
                }
            }
        };
        server().receive(target, 3, Worker.FULL_TAG_MASK, again);
        pair.client().send(message, 3, sendAgain);
        progressUntil(() -> left[0] == 0, MANY + " messages, each posted by the completion of the one before");
        completeAll(client());
        Pattern.verify(target, 0, 16, 3);
    }

    @Test
    @Semantics("D-10")
    void shouldAllowCancelInsideACompletion() {
        Pair pair = connect();
        long other = server().receive(buffer(8), 99, Worker.FULL_TAG_MASK);
        boolean[] cancelled = {false};
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            cancelled[0] = server().worker().cancel(other);
        });
        pair.client().send(pattern(8, 1), 1);
        complete(server(), id);
        assertTrue(cancelled[0]);
        assertEquals(Status.CANCELLED, complete(server(), other).status());
        completeAll(client());
    }

    @Test
    @Semantics("D-11")
    void shouldAllowCloseOfItsEndpointInsideACompletion() {
        Pair pair = connect();
        Pair other = connect();
        EndpointState[] inside = new EndpointState[1];
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            Endpoint source = request.source().orElseThrow();
            source.close();
            inside[0] = source.state();
        });
        long waiting = pair.server().receive(buffer(8), 50);
        pair.client().send(pattern(8, 1), 1);
        complete(server(), id);
        assertEquals(EndpointState.CLOSING, inside[0]);
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the close to finish");
        assertEquals(Status.CLOSED, server().recorder().outcome(waiting).status());
        assertEquals(EndpointState.CLOSED, pair.server().endpoint().state());
        assertEquals(EndpointState.CONNECTED, other.server().endpoint().state());
        completeAll(client());
    }

    @Test
    @Semantics("D-12")
    void shouldAllowAbortOfItsEndpointInsideACompletion() {
        Pair pair = connect();
        long waiting = pair.server().receive(buffer(8), 50);
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            request.source().orElseThrow().abort();
        });
        pair.client().send(pattern(8, 1), 1);
        complete(server(), id);
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the abort to finish");
        assertEquals(Status.CLOSED, server().recorder().outcome(waiting).status());
        progressUntil(() -> client().events().ended(pair.client().endpoint()), "the client to lose its peer");
    }

    @Test
    @Semantics("D-13")
    void shouldCloseWorkerWhenTheProgressEndsThatRanTheCompletion() {
        Pair pair = connect();
        boolean[] openInside = {false};
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            server().worker().close();
            openInside[0] = pair.server().endpoint().state() == EndpointState.CONNECTED;
        });
        pair.client().send(pattern(8, 1), 1);
        driveUntil(client(), () -> client().recorder().outstanding() == 0, "the send to leave");
        driveUntil(server(), () -> server().recorder().has(id), "the completion that closes");
        assertTrue(openInside[0]);
        assertEquals(EndpointState.CLOSED, pair.server().endpoint().state());
        assertThrows(IllegalStateException.class, () -> server().worker().progress());
    }

    @Test
    @Semantics("D-14")
    void shouldRefuseProgressInsideCompletionsAndHandlers() {
        List<Throwable> thrown = new ArrayList<>();
        server().events().also(new EndpointHandler() {
            @Override
            public void connected(Endpoint endpoint) {
                thrown.add(assertThrows(
                        IllegalStateException.class, () -> server().worker().progress()));
                thrown.add(assertThrows(
                        IllegalStateException.class, () -> server().worker().await(0)));
            }
        });
        Pair pair = connect();
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            thrown.add(assertThrows(
                    IllegalStateException.class, () -> server().worker().progress()));
        });
        pair.client().send(pattern(8, 1), 1);
        complete(server(), id);
        assertEquals(3, thrown.size());
    }

    @Test
    @Semantics("D-15")
    void shouldGoOnAfterACompletionThatThrows() {
        Pair pair = connect();
        MemorySegment target = buffer(8);
        long first = server().receive(target, 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            throw new IllegalArgumentException("thrown by a completion of the contract suite, on purpose");
        });
        long second = server().receive(target, 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            throw new AssertionError("thrown by a completion of the contract suite, on purpose");
        });
        long third = server().receive(target, 1, Worker.FULL_TAG_MASK);
        for (int i = 0; i < 3; i++) {
            pair.client().send(pattern(8, 1), 1);
        }
        for (long id : List.of(first, second, third)) {
            assertEquals(Status.OK, complete(server(), id).status());
        }
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("D-16")
    void shouldGoOnAfterAHandlerThatThrows() {
        server().events().also(new EndpointHandler() {
            @Override
            public void connected(Endpoint endpoint) {
                throw new IllegalArgumentException("thrown by a handler of the contract suite, on purpose");
            }

            @Override
            public void closed(Endpoint endpoint) {
                throw new AssertionError("thrown by a handler of the contract suite, on purpose");
            }
        });
        Pair first = connect();
        first.client().endpoint().close();
        progressUntil(() -> server().events().ended(first.server().endpoint()), "the first endpoint to end");
        Pair second = connect();
        long received = second.server().receive(buffer(8), 1);
        second.client().send(pattern(8, 1), 1);
        completeOk(second.server(), received);
    }

    @Test
    @Semantics("D-19")
    void shouldServeManyOperationsByOneCompletion() {
        Pair pair = connect();
        int[] sum = {0};
        Completion one = request -> sum[0] += (int) request.userData();
        MemorySegment buffer = buffer(8);
        for (int i = 1; i <= 100; i++) {
            assertTrue(pair.server().endpoint().receive(buffer, 0, 8, 1, Worker.FULL_TAG_MASK, one, i) > 0);
            assertTrue(pair.client().endpoint().send(buffer, 0, 8, 1, Completion.IGNORE, 0) > 0);
        }
        progressUntil(() -> sum[0] == 5050, "100 completions by one instance");
        progressUntil(
                () -> client().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT) == 0, "ignored sends to end");
    }

    @Test
    @Semantics("D-21")
    void shouldNotCompleteInsideCancel() {
        connect();
        long id = client().receive(buffer(8), 1, Worker.FULL_TAG_MASK);
        assertTrue(client().worker().cancel(id));
        assertFalse(client().recorder().has(id));
        assertFalse(client().worker().cancel(id));
        assertEquals(Status.CANCELLED, complete(client(), id).status());
    }

    @Test
    @Semantics("D-29")
    void shouldGoOnAfterCompletionsThatThrowAnything() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        MemorySegment buffer = buffer(8);
        int[] ended = {0};
        for (Throwable thrown : Thrown.kinds()) {
            Completion throwing = _ -> {
                ended[0]++;
                throw Thrown.sneak(thrown);
            };
            Completion.Immediate throwingAtOnce = throwing::completed;
            for (Completion completion : List.of(throwing, throwingAtOnce)) {
                ended[0] = 0;
                assertTrue(
                        pair.server().endpoint().receive(buffer(8), 0, 8, 1, Worker.FULL_TAG_MASK, completion, 0) > 0);
                assertTrue(server().worker().receive(buffer(8), 0, 8, 1, Worker.FULL_TAG_MASK, completion, 0) > 0);
                assertTrue(endpoint.send(buffer, 0, 8, 1, completion, 0) > 0);
                assertTrue(endpoint.sendSynchronous(buffer, 0, 8, 1, completion, 0) > 0);
                assertTrue(endpoint.flush(completion) > 0);
                long cancelled = client().worker().receive(buffer(8), 0, 8, 9, Worker.FULL_TAG_MASK, completion, 0);
                assertTrue(client().worker().cancel(cancelled));
                progressUntil(() -> ended[0] == 6, "completions that throw " + thrown.getClass());
            }
        }
        for (Side side : List.of(client(), server())) {
            assertEquals(0, side.worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        }
        assertEquals(EndpointState.CONNECTED, endpoint.state());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("D-29")
    void shouldGoOnAfterHandlersThatThrowAnything() {
        requires(Capability.PUT_SIGNAL);
        MemoryRegion region = server().context().allocate(64, EnumSet.allOf(AccessRight.class));
        for (Throwable thrown : Thrown.kinds()) {
            ThrowingHandler handler = new ThrowingHandler(thrown);
            Listener listener =
                    server().worker().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), handler);
            Endpoint first = client().connect(listener.address());
            progressUntil(() -> handler.calls.contains("connected"), "the first endpoint");
            progressUntil(() -> first.state() == EndpointState.CONNECTED, "the client to be connected");
            End client = new End(client(), first);
            completeOk(client, client.putSignal(buffer(8), 1, client.unpack(region), 0));
            progressUntil(() -> handler.calls.contains("signalled"), "the signal");
            first.close();
            progressUntil(() -> handler.calls.contains("closed"), "the goodbye");
            Endpoint second = client().connect(listener.address());
            progressUntil(() -> second.state() == EndpointState.CONNECTED, "the client to be connected again");
            second.abort();
            progressUntil(() -> handler.calls.contains("failed"), "the loss of the peer");
            assertTrue(handler.calls.containsAll(Set.of("features", "isReconnect")));
            listener.close();
        }
        assertEquals(0, server().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    /** Throws from every method. */
    private static final class ThrowingHandler implements LayerHandler {
        final Set<String> calls = new HashSet<>();
        private final Throwable thrown;

        ThrowingHandler(Throwable thrown) {
            this.thrown = thrown;
        }

        private RuntimeException called(String what) {
            calls.add(what);
            return Thrown.sneak(thrown);
        }

        @Override
        public int features() {
            throw called("features");
        }

        @Override
        public boolean isReconnect(Endpoint endpoint) {
            throw called("isReconnect");
        }

        @Override
        public void connected(Endpoint endpoint) {
            throw called("connected");
        }

        @Override
        public void signalled(Endpoint endpoint, long value) {
            throw called("signalled");
        }

        @Override
        public void closed(Endpoint endpoint) {
            throw called("closed");
        }

        @Override
        public void failed(Endpoint endpoint, FairleadException cause) {
            throw called("failed");
        }
    }

    @Test
    @Semantics("D-30")
    void shouldKeepTheInterruptOfACompletionForItsCaller() {
        Pair pair = connect();
        long received = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            throw Thrown.sneak(new InterruptedException("thrown by a completion of the contract suite, on purpose"));
        });
        pair.client().send(buffer(8), 1);
        assertFalse(Thread.interrupted());
        complete(server(), received);
        assertTrue(Thread.interrupted());
        completeAll(client());
    }
}
