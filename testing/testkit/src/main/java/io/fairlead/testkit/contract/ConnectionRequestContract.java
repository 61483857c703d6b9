package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
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
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connection requests that are accepted: by which worker, when, and how many. */
public class ConnectionRequestContract extends ConnectionRequestCases {
    private static final int MANY = 100;
    private static final int WORKERS = 3;
    private static final Duration LONGER_THAN_A_MOMENT = Duration.ofMillis(400);

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
