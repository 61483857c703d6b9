package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.internal.RawPeer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Connections that a listener hands to whatever worker of its context, before their handshakes. */
public class ConnectionRequestContract extends TransportContract {
    private static final int MANY = 100;
    private static final int WORKERS = 3;
    private static final Duration LONGER_THAN_A_MOMENT = Duration.ofMillis(400);

    private final ConcurrentLinkedQueue<ConnectionRequest> requests = new ConcurrentLinkedQueue<>();

    /** Creates the suite. */
    protected ConnectionRequestContract() {}

    @Test
    @Semantics("C-60")
    void shouldTellOfAConnectionBeforeItsHandshake() {
        List<Boolean> insideProgress = new ArrayList<>();
        Listener listener = server().worker().listen(loopback(), request -> {
            insideProgress.add(server().worker().isInsideProgress());
            requests.add(request);
        });

        Endpoint connecting = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();
        progressUntilIdle();

        assertEquals(List.of(true), insideProgress);
        assertEquals(InetAddress.getLoopbackAddress(), request.remoteAddress().getAddress());
        assertTrue(request.remoteAddress().getPort() > 0);
        assertEquals(EndpointState.CONNECTING, connecting.state());
        assertEquals(List.of(), server().events().all());
    }

    @Test
    @Semantics("C-60")
    void shouldAcceptInsideTheHandler() {
        Listener listener = server().worker()
                .listen(loopback(), request -> server().worker().accept(request, server().events()));

        assertServes(connected(listener, server()));
    }

    @Test
    @Semantics("C-61")
    void shouldAcceptOnAnotherWorkerOfTheThread() {
        Side second = newSide("second", server());
        Listener listener = listen();

        Endpoint connecting = client().connect(listener.address());
        Endpoint accepted = second.worker().accept(awaitRequest(), second.events());

        assertEquals(EndpointState.CONNECTING, accepted.state());
        assertEquals(List.of(), second.events().all());
        awaitState(connecting, EndpointState.CONNECTED);
        awaitState(accepted, EndpointState.CONNECTED);
        assertEquals(1, second.events().count(Event.Kind.CONNECTED));
        assertEquals(List.of(), server().events().all());
        assertServes(new Pair(new End(second, accepted), new End(client(), connecting)));
    }

    @Test
    @Semantics("C-61")
    void shouldAcceptOnAWorkerOfAnotherThread() {
        PeerThread other = newPeerThread("other", server());
        Listener listener = listen();
        MemoryRegion region = server().context().allocate(64, EnumSet.allOf(AccessRight.class));
        MemorySegment sent = pattern(64, 7);
        MemorySegment echoed = buffer(64);

        Endpoint connecting = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();
        Endpoint accepted = other.call(side -> side.worker().accept(request, side.events()));
        awaitState(connecting, EndpointState.CONNECTED);

        other.run(side -> {
            MemorySegment message = buffer(64);
            side.receive(message, 7, Worker.FULL_TAG_MASK, done -> {
                side.recorder().completed(done);
                side.recorder().posted(accepted, accepted.send(message, 8, side.recorder()));
            });
        });
        End end = new End(client(), connecting);
        long echo = end.receive(echoed, 8);
        completeOk(end, end.send(sent, 7));
        completeOk(end, echo);
        Pattern.verify(echoed, 0, 64, 7);
        assertMoves(end, region);
    }

    @Test
    @Semantics("C-61")
    void shouldReachTheConnectorsMemory() {
        Side second = newSide("second", server());
        MemoryRegion region = client().context().allocate(64, EnumSet.allOf(AccessRight.class));

        Pair pair = handedOver(listen(), second);

        assertMoves(pair.server(), region);
    }

    @Test
    @Semantics("C-62")
    void shouldSpreadConnectionsOverWorkers() {
        List<PeerThread> others = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            others.add(newPeerThread("worker-" + i, server()));
        }
        Listener listener = listen();
        List<Endpoint> connecting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            connecting.add(client().connect(listener.address()));
        }

        int[] handed = {0};
        progressUntil(
                () -> {
                    for (ConnectionRequest next = requests.poll(); next != null; next = requests.poll()) {
                        ConnectionRequest request = next;
                        others.get(handed[0]++ % WORKERS)
                                .run(side -> side.worker().accept(request, side.events()));
                    }
                    return connecting.stream().allMatch(each -> each.state() == EndpointState.CONNECTED);
                },
                "all to be connected");

        assertEquals(MANY, handed[0]);
        for (int i = 0; i < WORKERS; i++) {
            int expected = MANY / WORKERS + (i < MANY % WORKERS ? 1 : 0);
            PeerThread other = others.get(i);
            progressUntil(
                    () -> other.call(side -> side.events().count(Event.Kind.CONNECTED)) == expected,
                    other + " to have its share");
        }
        assertEquals(List.of(), server().events().all());
        for (int i = 0; i < MANY; i++) {
            End end = new End(client(), connecting.get(i));
            completeOk(end, end.send(pattern(8, i), i));
        }
    }

    @Test
    @Semantics("C-63")
    void shouldRefuseTheRequestOfAnotherContext() {
        Endpoint connecting = client().connect(listen().address());
        ConnectionRequest request = awaitRequest();
        Side stranger = newSide("stranger");

        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> stranger.worker().accept(request, stranger.events()));

        assertMentions("connection request is of another context", refused);
        assertEquals(List.of(), stranger.events().all());
        server().worker().accept(request, server().events());
        awaitState(connecting, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-64")
    void shouldAnswerARequestOnce() {
        Side second = newSide("second", server());
        Endpoint connecting = client().connect(listen().address());
        ConnectionRequest request = awaitRequest();
        server().worker().accept(request, server().events());

        IllegalStateException again =
                assertThrows(IllegalStateException.class, () -> second.worker().accept(request, second.events()));
        request.reject();

        assertMentions("answer=accepted", again);
        awaitState(connecting, EndpointState.CONNECTED);
        request.reject();
        progressUntilIdle();
        assertEquals(EndpointState.CONNECTED, connecting.state());
        assertEquals(List.of(), second.events().all());
    }

    @Test
    @Semantics("C-64")
    void shouldNotAcceptWhatIsRejected() {
        Endpoint connecting = client().connect(listen().address());
        ConnectionRequest request = awaitRequest();
        request.reject();
        request.reject();

        IllegalStateException late = assertThrows(
                IllegalStateException.class, () -> server().worker().accept(request, server().events()));

        assertMentions("answer=rejected", late);
        assertFails(Reason.REFUSED, connecting);
        assertEquals(List.of(), server().events().all());
    }

    @Test
    @Semantics("C-65")
    void shouldTellAConnectorThatItIsRejected() throws InterruptedException {
        Listener listener = listen();
        Pair served = handedOver(listener, server());
        Endpoint rejected = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();

        Thread another = Thread.ofPlatform().start(request::reject);
        another.join(Duration.ofSeconds(60));

        FairleadException failure = assertFails(Reason.REFUSED, rejected);
        assertMentions("rejected the connection request", failure);
        assertEquals(FairleadException.Advice.GIVE_UP, failure.advice());
        assertServes(served);
        assertServes(handedOver(listener, server()));
    }

    @Test
    @Semantics("C-65")
    void shouldTellAConnectorWhyItIsRejected() {
        Endpoint rejected = client().connect(listen().address());
        awaitRequest().reject(Reason.LIMIT_REACHED, "the house is full");

        FairleadException failure = assertFails(Reason.LIMIT_REACHED, rejected);

        assertMentions("the house is full", failure);
        assertEquals(FairleadException.Advice.RETRY, failure.advice());
    }

    @Test
    @Semantics("C-66")
    void shouldEndARequestThatNobodyAnswers() {
        client();
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofMillis(200));
        Listener listener = listen();
        Endpoint connecting = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();

        FairleadException failure = assertFails(Reason.TIMED_OUT, connecting);

        assertMentions("no worker accepted the connection request: connect.timeout=200 ms", failure);
        FairleadException late =
                assertThrows(FairleadException.class, () -> server().worker().accept(request, server().events()));
        assertEquals(Reason.TIMED_OUT, late.reason());
        assertMentions("connect.timeout=200 ms", late);
        assertEquals(List.of(), server().events().all());
    }

    @Test
    @Semantics("C-67")
    void shouldAcceptNoMoreThanMayBePending() {
        configure(ConfigKeys.PENDING_MAX, 2);
        Listener listener = listen();
        List<Endpoint> connecting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            connecting.add(client().connect(listener.address()));
        }
        progressUntil(() -> requests.size() == 2, "as many requests as may be pending");
        progressUntilIdle();
        assertEquals(2, requests.size());

        for (int i = 0; i < connecting.size(); i++) {
            server().worker().accept(awaitRequest(), server().events());
        }

        connecting.forEach(each -> awaitState(each, EndpointState.CONNECTED));
    }

    @Test
    @Semantics("C-77")
    void shouldNotTakeItsOwnArithmeticForAPeersSilence() {
        configure(ConfigKeys.PENDING_MAX, 1);
        Side accepting = newSide("accepting", server());
        Listener listener = listen();
        Endpoint first = client().connect(listener.address());
        accepting.worker().accept(awaitRequest(), accepting.events());
        Endpoint second = client().connect(listener.address());
        driveUntil(server(), () -> !requests.isEmpty(), "a second request");
        ConnectionRequest waiting = requests.remove();

        // Meanwhile the connector says its first word, which nobody reads.
        long until = System.nanoTime() + LONGER_THAN_A_MOMENT.toNanos();
        driveUntil(client(), () -> System.nanoTime() - until > 0, "the connector to have spoken");
        accepting.worker().accept(waiting, accepting.events());

        awaitState(first, EndpointState.CONNECTED);
        awaitState(second, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-68")
    void shouldEndTheRequestsOfAListenerThatCloses() {
        Listener listener = listen();
        Endpoint first = client().connect(listener.address());
        server().worker().accept(awaitRequest(), server().events());
        Endpoint second = client().connect(listener.address());
        ConnectionRequest unanswered = awaitRequest();

        listener.close();

        FairleadException late =
                assertThrows(FairleadException.class, () -> server().worker().accept(unanswered, server().events()));
        assertEquals(Reason.CLOSED, late.reason());
        assertMentions("listener was closed", late);
        unanswered.reject();
        assertMentions("the listener was closed", assertFails(Reason.CONNECTION_REFUSED, second));
        awaitState(first, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-68")
    void shouldHangUpWhenTheListenersWorkerCloses() {
        Side listening = newSide("listening", server());
        Listener listener = listening.worker().listen(loopback(), requests::add);
        Endpoint first = client().connect(listener.address());
        ConnectionRequest answered = awaitRequest();
        Endpoint lost = client().connect(listener.address());
        ConnectionRequest unanswered = awaitRequest();
        Endpoint rejected = client().connect(listener.address());
        ConnectionRequest refused = awaitRequest();
        server().worker().accept(answered, server().events());
        refused.reject();

        listening.close();

        assertFails(Reason.PEER_LOST, lost);
        assertFails(Reason.PEER_LOST, rejected);
        FairleadException late =
                assertThrows(FairleadException.class, () -> server().worker().accept(unanswered, server().events()));
        assertEquals(Reason.CLOSED, late.reason());
        unanswered.reject();
        awaitState(first, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-69")
    void shouldHangUpWhenTheAcceptingWorkerCloses() {
        Side second = newSide("second", server());
        Listener listener = listen();
        Endpoint connecting = client().connect(listener.address());
        Endpoint accepted = second.worker().accept(awaitRequest(), second.events());

        second.close();

        assertEquals(EndpointState.CLOSED, accepted.state());
        assertEquals(1, second.events().count(Event.Kind.CLOSED));
        assertFails(Reason.PEER_LOST, connecting);
        Endpoint later = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();
        assertThrows(IllegalStateException.class, () -> second.worker().accept(request, second.events()));
        server().worker().accept(request, server().events());
        awaitState(later, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-70")
    void shouldRejectWhereTheHandlerThrows() {
        Listener listener = server().worker().listen(loopback(), request -> {
            if (requests.isEmpty()) {
                requests.add(request);
                throw new IllegalStateException("thrown by the case");
            }
            server().worker().accept(request, server().events());
            throw new IllegalStateException("thrown by the case after accepting");
        });

        Endpoint rejected = client().connect(listener.address());

        assertMentions("rejected the connection request", assertFails(Reason.REFUSED, rejected));
        assertServes(connected(listener, server()));
    }

    @Test
    @Semantics("C-71")
    void shouldLeaveARequestToAnotherWorkerWhereThereIsNoRoom() {
        client();
        configure(ConfigKeys.ENDPOINTS_MAX, 1);
        Side second = newSide("second", server());
        Listener listener = listen();
        handedOver(listener, server());
        Endpoint connecting = client().connect(listener.address());
        ConnectionRequest request = awaitRequest();

        FairleadException full =
                assertThrows(FairleadException.class, () -> server().worker().accept(request, server().events()));

        assertEquals(Reason.LIMIT_REACHED, full.reason());
        assertMentions("endpoints-max=1", full);
        second.worker().accept(request, second.events());
        awaitState(connecting, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-72")
    void shouldGiveUpWhatIsConnecting() {
        Side second = newSide("second", server());
        Listener listener = listen();
        Endpoint first = client().connect(listener.address());
        Endpoint closed = second.worker().accept(awaitRequest(), second.events());
        closed.startClose();
        Endpoint other = client().connect(listener.address());
        Endpoint aborted = second.worker().accept(awaitRequest(), second.events());
        aborted.abort();

        assertEquals(EndpointState.CLOSED, aborted.state());
        awaitState(closed, EndpointState.CLOSED);
        assertFails(Reason.PEER_LOST, first);
        assertFails(Reason.PEER_LOST, other);
        assertEquals(
                List.of(Event.Kind.CLOSED, Event.Kind.CLOSED),
                second.events().all().stream().map(Event::kind).toList());
        assertServes(handedOver(listener, second));
    }

    @Test
    @Semantics("C-73")
    void shouldFailTheEndpointOfAPeerThatDoesNotGetThrough() throws IOException {
        Listener listener = listen();
        try (RawPeer stranger = RawPeer.connect(listener.address())) {
            Endpoint accepted = server().worker().accept(awaitRequest(), server().events());
            stranger.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            awaitState(accepted, EndpointState.FAILED);
        }
        ConnectionRequest request;
        try (RawPeer _ = RawPeer.connect(listener.address())) {
            request = awaitRequest();
        }
        Endpoint vanished = server().worker().accept(request, server().events());
        awaitState(vanished, EndpointState.FAILED);
        assertEquals(Reason.PEER_LOST, vanished.failure().orElseThrow().reason());
        assertEquals(2, server().events().count(Event.Kind.FAILED));
        assertServes(handedOver(listener, server()));
    }

    @Test
    @Semantics("C-73")
    void shouldFailTheEndpointOfAPeerThatIsNotLetIn() {
        authorize((_, _) -> Authorizer.Verdict.refused("nobody connects here"));
        Listener listener = listen();
        Endpoint connecting = client().connect(listener.address());
        Endpoint accepted = server().worker().accept(awaitRequest(), server().events());

        assertFails(Reason.REFUSED, connecting);
        awaitState(accepted, EndpointState.FAILED);

        FairleadException failure = accepted.failure().orElseThrow();
        assertEquals(Reason.REFUSED, failure.reason());
        assertMentions("nobody connects here", failure);
        assertEquals(1, server().events().all().size());
    }

    @Test
    @Semantics("C-74")
    void shouldCountTheConnectionsOfAnAddressOnAllWorkers() {
        configure(ConfigKeys.SOURCE_CONNECTIONS_MAX, 2);
        Side second = newSide("second", server());
        Listener listener = listen();
        Pair first = handedOver(listener, server());
        handedOver(listener, second);

        Endpoint refused = client().connect(listener.address());

        assertMentions("source.connections-max=2", assertFails(Reason.LIMIT_REACHED, refused));
        assertTrue(requests.isEmpty());
        first.client().endpoint().abort();
        awaitState(first.server().endpoint(), EndpointState.FAILED);
        assertServes(handedOver(listener, second));
    }

    @Test
    @Semantics("C-75")
    void shouldRefuseToAcceptOnAThreadThatIsNotTheWorkers() {
        PeerThread other = newPeerThread("other", server());
        Worker foreign = other.call(Side::worker);
        Endpoint connecting = client().connect(listen().address());
        ConnectionRequest request = awaitRequest();

        assertThrows(WrongThreadException.class, () -> foreign.accept(request, server().events()));

        server().worker().accept(request, server().events());
        awaitState(connecting, EndpointState.CONNECTED);
    }

    @Test
    @Semantics("C-76")
    void shouldLetAcceptedRequestsWaitForTheirHandshakes() {
        configure(ConfigKeys.PENDING_MAX, 1);
        Side second = newSide("second", server());
        Listener listener = listen();
        List<Endpoint> connecting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            connecting.add(client().connect(listener.address()));
        }
        List<Endpoint> accepted = new ArrayList<>();

        progressUntil(
                () -> {
                    ConnectionRequest request = requests.poll();
                    if (request != null) {
                        accepted.add(second.worker().accept(request, second.events()));
                    }
                    return accepted.size() == connecting.size();
                },
                "all requests to be accepted");

        connecting.forEach(each -> awaitState(each, EndpointState.CONNECTED));
        accepted.forEach(each -> awaitState(each, EndpointState.CONNECTED));
        assertEquals(List.of(), server().events().all());
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** A listener of the server's worker whose requests are kept. */
    private Listener listen() {
        return server().worker().listen(loopback(), requests::add);
    }

    private ConnectionRequest awaitRequest() {
        progressUntil(() -> !requests.isEmpty(), "a connection request");
        return requests.remove();
    }

    private void awaitState(Endpoint endpoint, EndpointState state) {
        progressUntil(() -> endpoint.state() == state, "endpoint " + endpoint.id() + " to be " + state);
    }

    private FairleadException assertFails(Reason reason, Endpoint endpoint) {
        awaitState(endpoint, EndpointState.FAILED);
        FairleadException failure = endpoint.failure().orElseThrow();
        assertEquals(reason, failure.reason(), failure::getMessage);
        return failure;
    }

    /** Connects the client to a listener whose handler answers by itself. */
    private Pair connected(Listener listener, Side acceptor) {
        int before = acceptor.events().count(Event.Kind.CONNECTED);
        Endpoint connecting = client().connect(listener.address());
        awaitState(connecting, EndpointState.CONNECTED);
        progressUntil(() -> acceptor.events().count(Event.Kind.CONNECTED) > before, "the other end to be connected");
        return new Pair(new End(acceptor, acceptor.events().lastConnected()), new End(client(), connecting));
    }

    /** Connects the client to a listener, whose request a worker of this thread accepts. */
    private Pair handedOver(Listener listener, Side acceptor) {
        Endpoint connecting = client().connect(listener.address());
        Endpoint accepted = acceptor.worker().accept(awaitRequest(), acceptor.events());
        awaitState(connecting, EndpointState.CONNECTED);
        awaitState(accepted, EndpointState.CONNECTED);
        return new Pair(new End(acceptor, accepted), new End(client(), connecting));
    }

    private void assertServes(Pair pair) {
        assertSends(pair.client(), pair.server(), 1);
        assertSends(pair.server(), pair.client(), 2);
    }

    private void assertSends(End from, End to, long tag) {
        MemorySegment target = buffer(48);
        long received = to.receive(target, tag);
        completeOk(from, from.send(pattern(48, tag), tag));
        completeOk(to, received);
        Pattern.verify(target, 0, 48, tag);
    }

    /** Puts into a region of the peer's and gets it back. */
    private void assertMoves(End end, MemoryRegion region) {
        MemorySegment target = buffer(64);
        try (RemoteKey key = end.unpack(region)) {
            completeOk(end, end.put(pattern(64, 9), key, 0));
            completeOk(end, end.flush());
            Pattern.verify(region.segment(), 0, 64, 9);
            completeOk(end, end.get(target, key, 0));
        }
        Pattern.verify(target, 0, 64, 9);
    }
}
