package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.node.Message;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestInterceptor;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.observation.MessageContext;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** What a request carries beside its bytes, and what it inherits from the request whose handler makes it. */
public class NodeRequestOptionsContract extends SetRequestCases {
    private static final Duration SHORT = Duration.ofMillis(500);
    /** Over the eager limit, and over what is kept on the heap. */
    private static final List<Integer> LENGTHS = List.of(0, 8, 1024, 9000, 100_000, 300_000);

    /** Creates the suite. */
    protected NodeRequestOptionsContract() {}

    // What is inherited.

    /** A service that asks another for each request, and answers with the other's answer; without one it leaves the end to the caller. */
    private static ServiceHandler asking(PeerSet next, BlockingQueue<CompletableFuture<Message>> made) {
        return request -> {
            CompletableFuture<Message> asked = next.request(request.bytes(), TAG, LONG);
            made.add(asked);
            CompletableFuture<Message> _ = asked.whenComplete((answer, failure) -> {
                if (answer != null) {
                    request.reply(answer.bytes());
                }
            });
        };
    }

    @Test
    @Semantics("Q-44")
    void shouldPassOnTheDeadlineAndTheCancelOfARequest() {
        Server last = holding("last");
        PeerSet lasts = open(last);
        BlockingQueue<CompletableFuture<Message>> made = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, asking(lasts, made));
        Peer first = get(startNode("first").connect(address()));
        CompletableFuture<Message> hurried = first.request(new byte[1], TAG, SHORT);
        ServiceRequest seen = take(last.held(), "a request");
        assertTrue(seen.timeLeft().compareTo(SHORT) <= 0, () -> "time left: " + seen.timeLeft());
        refusalOf(RequestStatus.DEADLINE_EXCEEDED, hurried);
        until(seen::isCancelled, "the deadline to reach the last handler");
        CompletableFuture<Message> cancelled = first.request(new byte[1], TAG, LONG);
        ServiceRequest running = take(last.held(), "another request");
        cancelled.cancel(false);
        until(running::isCancelled, "the cancel to reach the last handler");
        assertTrue(take(made, "the first").isCompletedExceptionally());
        assertTrue(take(made, "the second").isCancelled());
        CompletableFuture<Message> answered = first.request(new byte[] {3}, TAG, LONG);
        ServiceRequest good = take(last.held(), "a third request");
        good.reply(good.bytes());
        assertEquals(3, get(answered).bytes()[0]);
        assertNothingLeft(last);
        assertNothingLeft(serverNode());
    }

    @Test
    @Semantics("Q-44")
    void shouldInheritOnThreadsThatRunForTheRequestAlone() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        clientNode().serve(TAG, held::add);
        BlockingQueue<ServiceRequest> current = new LinkedBlockingQueue<>();
        CountDownLatch made = new CountDownLatch(2);
        serverNode().serve(TAG + 1, request -> {
            current.add(ServiceRequest.current().orElseThrow());
            Runnable ask = () -> {
                CompletableFuture<Message> _ = peers.server().request(new byte[1], TAG, LONG);
                made.countDown();
            };
            Thread.ofVirtual().start(() -> request.run(ask));
            Thread.ofVirtual().start(() -> {
                if (ServiceRequest.current().isEmpty()) {
                    ask.run();
                }
            });
        });
        assertTrue(ServiceRequest.current().isEmpty());
        CompletableFuture<Message> asked = peers.client().request(new byte[1], TAG + 1, LONG);
        ServiceRequest parent = take(current, "the handler's request");
        List<ServiceRequest> children = List.of(take(held, "a request"), take(held, "another"));
        await(made, "both requests");
        asked.cancel(false);
        until(() -> children.stream().anyMatch(ServiceRequest::isCancelled), "one of them to be cancelled");
        assertTrue(parent.isCancelled());
        // Of a request that has ended nothing more is made.
        CompletableFuture<Message>[] late = cast(new CompletableFuture<?>[1]);
        parent.run(() -> late[0] = peers.server().request(new byte[1], TAG, LONG));
        until(() -> late[0].isDone(), "the late one to end");
        assertTrue(late[0].isCancelled() || late[0].isCompletedExceptionally());
        ServiceRequest free = children.stream()
                .filter(child -> !child.isCancelled())
                .findFirst()
                .orElseThrow();
        free.reply(new byte[0]);
        assertNothingLeft();
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<Message>[] cast(CompletableFuture<?>[] futures) {
        return (CompletableFuture<Message>[]) futures;
    }

    // Headers.

    @Test
    @Semantics("Q-45")
    void shouldCarryHeadersBothWays() {
        Peers peers = connectNodes();
        serverNode().serve(TAG, request -> {
            String tenant = request.context().value("tenant").orElse("nobody");
            request.replyHeaders(MessageContext.of(Map.of("served", tenant + "/" + request.length())));
            request.reply(request.segment());
        });
        RequestOptions options =
                RequestOptions.within(LONG).withHeader("tenant", "äther").withHeader("id", "7");
        for (int length : LENGTHS) {
            MemorySegment message = pattern(length, length);
            try (Message reply = get(peers.client().request(message, TAG, options))) {
                Pattern.verify(reply.segment(), 0, length, length);
                assertEquals(Optional.of("äther/" + length), reply.context().value("served"));
            }
        }
        assertEquals(
                Optional.of("nobody/1"),
                get(peers.client().request(new byte[1], TAG, RequestOptions.within(LONG)))
                        .context()
                        .value("served"));
        IllegalArgumentException tooLong = assertThrows(
                IllegalArgumentException.class, () -> options.withHeader("x", "y".repeat(MessageContext.BYTES_MAX)));
        assertMentions("limit=" + MessageContext.BYTES_MAX, tooLong);
        assertNothingLeft();
    }

    @Test
    @Semantics("Q-45")
    void shouldCarryHeadersToASet() {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Server server = serving(
                "a",
                0,
                request -> {
                    seen.add(request.context().value("tenant").orElse("nobody"));
                    request.replyHeaders(MessageContext.of(Map.of("by", "a")));
                    request.reply(new byte[0]);
                },
                ServiceOptions.DEFAULT);
        PeerSet set = open(server);
        RequestOptions options = RequestOptions.within(LONG).withHeader("tenant", "t");
        assertEquals(
                Optional.of("a"),
                get(set.request(new byte[3], TAG, options)).context().value("by"));
        assertEquals("t", take(seen, "the header"));
    }

    // Interceptors.

    @Test
    @Semantics("Q-46")
    void shouldLetInterceptorsAddAndRefuse() {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        serverNode().intercept(new RequestInterceptor() {
            @Override
            public ServiceHandler serve(long tag, ServiceHandler handler) {
                return request -> {
                    if (request.context().value("token").isEmpty()) {
                        throw new RequestException(RequestStatus.PERMISSION_DENIED, "no token");
                    }
                    handler.handle(request);
                };
            }
        });
        serverNode().serve(TAG, request -> {
            seen.add(request.context().value("token").orElseThrow());
            request.reply(request.bytes());
        });
        Peers peers = connectNodes();
        assertEquals(
                "no token",
                refusalOf(RequestStatus.PERMISSION_DENIED, peers.client().request(new byte[1], TAG, LONG))
                        .text());
        clientNode().intercept(new RequestInterceptor() {
            @Override
            public RequestOptions request(Optional<Peer> peer, long tag, RequestOptions options) {
                if (tag == TAG + 1) {
                    throw new RequestException(RequestStatus.PERMISSION_DENIED, "not this one");
                }
                if (tag == TAG + 2) {
                    throw new IllegalStateException("broken");
                }
                return options.withHeader("token", peer.map(Peer::name).orElse("set"));
            }
        });
        assertEquals(1, get(peers.client().request(new byte[1], TAG, LONG)).length());
        assertEquals("server", take(seen, "the token"));
        int[] free = new int[1];
        RequestException refused = refusalOf(
                RequestStatus.PERMISSION_DENIED, peers.client().request(pattern(1, 1), TAG + 1, LONG, () -> free[0]++));
        assertTrue(refused.isSafeToRetry());
        assertEquals("not this one", refused.text());
        assertEquals(1, free[0]);
        assertTrue(refusalOf(RequestStatus.FAILED, peers.client().request(new byte[1], TAG + 2, LONG))
                .isSafeToRetry());
        clientNode().intercept(RequestInterceptor.NONE);
        assertFalse(refusalOf(RequestStatus.PERMISSION_DENIED, peers.client().request(new byte[1], TAG, LONG))
                .isSafeToRetry());
        assertTrue(seen.isEmpty());
        assertNothingLeft();
    }
}
