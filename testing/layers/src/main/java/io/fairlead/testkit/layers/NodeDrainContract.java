package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceRequest;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.layers.discovery.RollingRestart;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** How a node or a service ends without losing a request: what is under way is answered, and what is new goes elsewhere. */
public class NodeDrainContract extends SetRequestCases {
    private static final int RUNNING = 10;
    private static final int CLOSES = Integer.getInteger("fairlead.test.closes", 20);
    private static final int CONNECTS = 8;
    private static final int CONNECT_PAUSE_MAX_NS = 300_000;
    private static final int RESTARTS = Integer.getInteger("fairlead.test.restarts", 20);

    /** Creates the suite. */
    protected NodeDrainContract() {}

    private static CompletableFuture<Boolean> later(BooleanSupplier drain) {
        return CompletableFuture.supplyAsync(
                drain::getAsBoolean, task -> Thread.ofVirtual().start(task));
    }

    private static List<CompletableFuture<Message>> ask(Peers peers, int count) {
        List<CompletableFuture<Message>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(peers.client().request(new byte[] {(byte) i}, TAG, LONG));
        }
        return asked;
    }

    private static void answer(ServiceRequest request) {
        request.reply(request.bytes());
    }

    @Test
    @Semantics("Q-42")
    void shouldAnswerRunningRequestsWhenTheNodeCloses() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMinutes(1));
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, held::add);
        List<CompletableFuture<Message>> asked = ask(peers, RUNNING);
        List<ServiceRequest> running = new ArrayList<>();
        asked.forEach(_ -> running.add(take(held, "a request")));
        CompletableFuture<Boolean> closed = later(() -> {
            serverNode().close();
            return true;
        });
        awaitRefusal(peers.client());
        running.forEach(NodeDrainContract::answer);
        for (int i = 0; i < RUNNING; i++) {
            assertEquals((byte) i, get(asked.get(i)).bytes()[0]);
        }
        assertTrue(get(closed));
        assertNothingLeft(clientNode());
    }

    /** Waits until the peer is known to leave. */
    private static void awaitRefusal(Peer peer) {
        List<CompletableFuture<Message>> asked = new ArrayList<>();
        until(
                () -> {
                    CompletableFuture<Message> more = peer.request(new byte[1], TAG + 1, LONG);
                    asked.add(more);
                    return refusalOf(more).status() == RequestStatus.UNAVAILABLE;
                },
                "the peer to leave");
        asked.forEach(refused -> assertTrue(refusalOf(refused).isSafeToRetry()));
    }

    @Test
    @Semantics({"Q-40", "Q-42"})
    void shouldRefuseNewRequestsWhileItDrains() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, held::add);
        CompletableFuture<Message> asked = ask(peers, 1).getFirst();
        ServiceRequest running = take(held, "a request");
        CompletableFuture<Boolean> drained = later(() -> serverNode().drain(LONG));
        awaitRefusal(peers.client());
        RequestException refused =
                refusalOf(RequestStatus.UNAVAILABLE, peers.client().request(new byte[1], TAG, LONG));
        assertTrue(refused.isSafeToRetry());
        assertMentions("the peer leaves", refused);
        // One that connects now is notified too.
        awaitRefusal(get(startNode("other").connect(address())));
        assertFalse(drained.isDone());
        assertTrue(held.isEmpty());
        answer(running);
        get(asked);
        assertTrue(get(drained));
        // The connection is there until the close, and what the node asks itself is answered.
        clientNode().serve(TAG, NodeDrainContract::answer);
        assertEquals(1, get(peers.server().request(new byte[1], TAG, LONG)).length());
        assertTrue(serverNode().drain(LONG), "again");
    }

    @Test
    @Semantics("Q-42")
    void shouldLoseNoRequestOfAPeerThatConnectsWhileItCloses() throws Exception {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMinutes(1));
        Random random = new Random(42);
        for (int round = 0; round < CLOSES; round++) {
            Server closing = answering("closing-" + round);
            List<CompletableFuture<Message>> asked = new ArrayList<>();
            CompletableFuture<Boolean> closed = later(() -> {
                closing.node().close();
                return true;
            });
            for (int connect = 0; connect < CONNECTS; connect++) {
                asked.add(clientNode()
                        .connect(closing.member().address())
                        .thenCompose(
                                peer -> peer.request(new byte[1], TAG, LONG).whenComplete((_, _) -> peer.close())));
                LockSupport.parkNanos(random.nextInt(CONNECT_PAUSE_MAX_NS));
            }
            assertTrue(get(closed));
            for (CompletableFuture<Message> request : asked) {
                assertAnsweredOrSafe(request);
            }
        }
        assertNothingLeft(clientNode());
    }

    private static void assertAnsweredOrSafe(CompletableFuture<Message> request) throws Exception {
        try {
            request.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            // Without a connection nothing was asked.
            if (failed.getCause() instanceof RequestException refusal) {
                assertTrue(refusal.isSafeToRetry(), refusal::getMessage);
            } else {
                assertInstanceOf(FairleadException.class, failed.getCause());
            }
        }
    }

    @Test
    @Semantics("Q-42")
    void shouldEndADrainAtItsTimeout() {
        Peers peers = connectNodes();
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        serverNode().serve(TAG, held::add);
        CompletableFuture<Message> asked = ask(peers, 1).getFirst();
        ServiceRequest running = take(held, "a request");
        assertFalse(serverNode().drain(Duration.ofMillis(20)));
        assertFalse(asked.isDone());
        assertThrows(IllegalArgumentException.class, () -> serverNode().drain(Duration.ofMillis(-1)));
        CompletableFuture<Boolean> onProgressThread =
                serverNode().workerThread().call(_ -> serverNode().drain(Duration.ZERO));
        ExecutionException refused =
                assertThrows(ExecutionException.class, () -> onProgressThread.get(1, TimeUnit.MINUTES));
        assertMentions("on another thread", assertInstanceOf(IllegalStateException.class, refused.getCause()));
        answer(running);
        get(asked);
    }

    @Test
    @Semantics("Q-41")
    void shouldAskAnotherMemberWhileOneLeaves() {
        Server leaving = holding("leaving");
        Server staying = answering("staying");
        PeerSet set = open(leaving, staying);
        CompletableFuture<Message> first = set.request(new byte[1], TAG, LONG);
        CompletableFuture<Message> second = set.request(new byte[1], TAG, LONG);
        ServiceRequest running = take(leaving.held(), "a request");
        CompletableFuture<Boolean> drained = later(() -> leaving.node().drain(LONG));
        until(() -> set.peers().size() == 1, "the set to drop the member");
        for (int i = 0; i < RUNNING; i++) {
            assertEquals("staying", textOf(set.request(new byte[1], TAG, LONG)));
        }
        running.reply(bytes("leaving"));
        assertTrue(get(drained));
        List<String> texts = List.of(textOf(first), textOf(second));
        assertTrue(texts.contains("leaving") && texts.contains("staying"), texts::toString);
        leaving.node().close();
        assertEquals("staying", textOf(set.request(new byte[1], TAG, LONG)));
        assertNothingLeft(staying);
    }

    @Test
    @Semantics("Q-43")
    void shouldDrainOneService() {
        Server one = holding("one");
        Server other = answering("other");
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        Service service = one.node().serve(TAG + 1, held::add);
        PeerSet set = open(one);
        CompletableFuture<Message> asked = set.request(new byte[1], TAG + 1, LONG);
        ServiceRequest running = take(held, "a request");
        assertFalse(service.drain(Duration.ZERO));
        CompletableFuture<Boolean> drained = later(() -> service.drain(LONG));
        RequestException missing = refusalOf(RequestStatus.UNIMPLEMENTED, set.request(new byte[1], TAG + 1, LONG));
        assertTrue(missing.isSafeToRetry());
        other.node().serve(TAG + 1, request -> request.reply(bytes("other")));
        members(one, other);
        awaitNews("connected other");
        for (int i = 0; i < RUNNING; i++) {
            assertEquals("other", textOf(set.request(new byte[1], TAG + 1, LONG)));
        }
        // Its other service goes on.
        CompletableFuture<Message> others = set.request(new byte[1], TAG, LONG);
        CompletableFuture<Message> more = set.request(new byte[1], TAG, LONG);
        take(one.held(), "a request").reply(bytes("one"));
        assertTrue(List.of(textOf(others), textOf(more)).contains("one"));
        assertFalse(drained.isDone());
        answer(running);
        get(asked);
        assertTrue(get(drained));
        service.close();
    }

    @Test
    @Semantics("Q-41")
    void shouldLoseNoRequestWhenMembersRestart() {
        assertEquals(
                List.of(),
                ChosenTransports.with(
                        providers(),
                        () -> RollingRestart.run(
                                RESTARTS,
                                config(),
                                new RollingRestart.Registry() {},
                                loopback(),
                                loopback(),
                                addresses ->
                                        "static:" + text(addresses.getFirst()) + "," + text(addresses.getLast()))));
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
