package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Completion;
import io.fairlead.Counter;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What completions and handlers may do, and what becomes of what they throw. */
public abstract class CompletionActionContract extends TransportContract {
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
}
