package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Advice;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.Path;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Listening, connecting, and what an endpoint reports about its peer and its path. */
public class ConnectionContract extends TransportContract {
    private static final int MANY = 200;
    private static final int THOUSANDS = 8000;
    private static final int TURNS = 1000;

    /** Creates the suite. */
    protected ConnectionContract() {}

    @Test
    @Semantics("C-01")
    void shouldConnectInsideProgressOnly() {
        Endpoint endpoint = client().connect(server());
        assertEquals(EndpointState.CONNECTING, endpoint.state());
        assertEquals(List.of(), client().events().all());
        progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, "the client to be connected");
        progressUntil(() -> server().events().count(Event.Kind.CONNECTED) == 1, "the server to be connected");
    }

    @Test
    @Semantics("C-02")
    void shouldRefusePostsWhileConnecting() {
        Endpoint endpoint = client().connect(server());
        MemorySegment buffer = buffer(8);
        Recorder recorder = client().recorder();
        long code = Endpoint.NOT_CONNECTED;
        assertEquals(code, endpoint.send(buffer, 0, 8, 1, recorder, 0));
        assertEquals(code, endpoint.sendGather(new MemorySegment[] {buffer}, 1, recorder));
        assertEquals(code, endpoint.sendSynchronous(buffer, 0, 8, 1, recorder, 0));
        assertEquals(code, endpoint.receive(buffer, 0, 8, 1, 1, recorder, 0));
        assertEquals(code, endpoint.flush(recorder));
        assertEquals(code, endpoint.fence());
        assertEquals(
                Reason.CLOSED,
                assertThrows(FairleadException.class, () -> endpoint.unpack(new byte[64]))
                        .reason());
        progressUntil(() -> server().events().count(Event.Kind.CONNECTED) == 1, "the connection to be made after all");
        assertEquals(0, recorder.count());
    }

    @Test
    @Semantics("C-03")
    void shouldTellBothHandlersOnce() {
        Pair pair = connect();
        progressUntilIdle();
        assertEquals(
                List.of(new Event(Event.Kind.CONNECTED, pair.client().endpoint(), 0, java.util.Optional.empty())),
                client().events().all());
        assertEquals(
                List.of(new Event(Event.Kind.CONNECTED, pair.server().endpoint(), 0, java.util.Optional.empty())),
                server().events().all());
    }

    @Test
    @Semantics("C-04")
    void shouldAcceptPostsInsideTheConnectedHandler() {
        MemorySegment message = pattern(32, 4);
        server().events().also(new EndpointHandler() {
            @Override
            public void connected(Endpoint endpoint) {
                server().recorder().posted(endpoint, endpoint.send(message, 0, 32, 4, server().recorder(), 0));
            }
        });
        Pair pair = connect();
        MemorySegment target = buffer(32);
        completeOk(pair.client(), pair.client().receive(target, 4));
        Pattern.verify(target, 0, 32, 4);
    }

    @Test
    @Semantics("C-05")
    void shouldKnowThePeer() {
        Pair pair = connect();
        assertEquals("server", pair.client().endpoint().peerName());
        assertEquals("client", pair.server().endpoint().peerName());
        assertEquals(server().context().incarnation(), pair.client().endpoint().peerIncarnation());
        assertEquals(client().context().incarnation(), pair.server().endpoint().peerIncarnation());
    }

    @Test
    @Semantics("C-42")
    void shouldTellTheFeaturesOfThePeersHandler() {
        Pair none = connect();
        assertEquals(0, client().events().peerFeatures(none.client().endpoint()));
        assertEquals(0, server().events().peerFeatures(none.server().endpoint()));
        client().events().features(0x4001);
        server().events().features(0x7FFF);
        Pair both = connect();
        assertEquals(0x7FFF, client().events().peerFeatures(both.client().endpoint()));
        assertEquals(0x4001, server().events().peerFeatures(both.server().endpoint()));
    }

    @Test
    @Semantics("C-42")
    void shouldConnectWithoutFeaturesThatAreOutOfRange() {
        client().events().features(0x8000);
        server().events().features(-1);
        Pair pair = connect();
        assertEquals(0, client().events().peerFeatures(pair.client().endpoint()));
        assertEquals(0, server().events().peerFeatures(pair.server().endpoint()));
    }

    @Test
    @Semantics("C-06")
    void shouldKnowNothingOfThePeerWhileConnecting() {
        Endpoint endpoint = client().connect(server());
        assertEquals("", endpoint.peerName());
        assertEquals(0, endpoint.peerIncarnation());
        assertTrue(endpoint.path().isEmpty());
        assertTrue(endpoint.failure().isEmpty());
        assertSame(client().worker(), endpoint.worker());
    }

    @Test
    @Semantics("C-07")
    void shouldNameTransportAndReasonOfThePath() {
        Pair pair = connect();
        for (End end : List.of(pair.client(), pair.server())) {
            Path path = end.endpoint().path().orElseThrow();
            assertEquals(transport().name(), path.transport());
            assertTrue(!path.device().isBlank(), path::toString);
            assertTrue(!path.reason().isBlank(), path::toString);
        }
    }

    @Test
    @Semantics("C-08")
    void shouldKnowAddresses() {
        Pair pair = connect();
        assertEquals(listener().address(), pair.client().endpoint().remoteAddress());
        InetSocketAddress accepted = pair.server().endpoint().remoteAddress();
        assertTrue(accepted.getAddress().isLoopbackAddress(), accepted::toString);
        assertNotEquals(listener().address().getPort(), accepted.getPort());
    }

    @Test
    @Semantics("C-90")
    void shouldKnowItsOwnAddress() {
        Pair pair = connect();
        Endpoint client = pair.client().endpoint();
        Endpoint server = pair.server().endpoint();
        assertEquals(server.remoteAddress(), client.localAddress().orElseThrow());
        assertEquals(client.remoteAddress(), server.localAddress().orElseThrow());
        assertTrue(client().worker()
                .connect(listener().address(), EndpointHandler.NONE)
                .localAddress()
                .isEmpty());
    }

    @Test
    @Semantics("C-09")
    void shouldTakeAFreePort() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Listener first = server().worker().listen(any, server().events());
        Listener second = server().worker().listen(any, server().events());
        assertTrue(first.address().getPort() > 0 && second.address().getPort() > 0);
        assertNotEquals(first.address().getPort(), second.address().getPort());
    }

    @Test
    @Semantics("C-10")
    void shouldRefuseBusyPort() throws IOException {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) busy.getLocalSocketAddress();
            FairleadException failure = assertThrows(
                    FairleadException.class, () -> server().worker().listen(address, EndpointHandler.NONE));
            assertEquals(Reason.ADDRESS_UNAVAILABLE, failure.reason());
            assertMentions(":" + busy.getLocalPort(), failure);
        }
    }

    @Test
    @Semantics("C-11")
    void shouldRefuseUnresolvedHosts() {
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 4711);
        for (FairleadException failure : List.of(
                assertThrows(FairleadException.class, () -> client().worker().connect(nowhere, EndpointHandler.NONE)),
                assertThrows(FairleadException.class, () -> client().worker().listen(nowhere, EndpointHandler.NONE)))) {
            assertEquals(Reason.UNKNOWN_HOST, failure.reason());
            assertMentions("no-such-host.invalid", failure);
        }
    }

    @Test
    @Semantics("C-12")
    void shouldTellOfARefusedConnection() throws IOException {
        InetSocketAddress address;
        try (ServerSocket once = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = (InetSocketAddress) once.getLocalSocketAddress();
        }
        Endpoint endpoint = client().connect(address);
        progressUntil(() -> client().events().ended(endpoint), "the refusal");
        assertEquals(EndpointState.FAILED, endpoint.state());
        FairleadException failure = endpoint.failure().orElseThrow();
        assertEquals(Reason.CONNECTION_REFUSED, failure.reason());
        assertEquals(Advice.RETRY, failure.advice());
        assertMentions(":" + address.getPort(), failure);
        assertEquals(1, client().events().all().size());
        assertSame(failure, client().events().all().getFirst().cause().orElseThrow());
        assertTrue(endpoint.path().isEmpty());
    }

    @Test
    @Semantics("C-13")
    void shouldCarryManyEndpointsOnOneWorker() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            pairs.add(connect());
        }
        List<MemorySegment> targets = new ArrayList<>();
        List<Long> received = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            MemorySegment target = buffer(64);
            targets.add(target);
            received.add(pairs.get(i).server().receive(target, 1));
        }
        for (int i = MANY - 1; i >= 0; i--) {
            pairs.get(i).client().send(pattern(64, i), 1);
        }
        for (int i = 0; i < MANY; i++) {
            Outcome outcome = completeOk(pairs.get(i).server(), received.get(i));
            assertSame(pairs.get(i).server().endpoint(), outcome.source().orElseThrow());
            Pattern.verify(targets.get(i), 0, 64, i);
        }
    }

    @Test
    @Semantics("C-14")
    void shouldNumberLiveEndpointsApart() {
        Set<Integer> clients = new HashSet<>();
        Set<Integer> servers = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            Pair pair = connect();
            assertTrue(clients.add(pair.client().endpoint().id()));
            assertTrue(servers.add(pair.server().endpoint().id()));
        }
        clients.addAll(servers);
        assertTrue(clients.stream().allMatch(id -> id >= 1 && id <= 65_535), clients::toString);
    }

    @Test
    @Semantics("C-15")
    void shouldConnectManyAtOnceThroughFewHandshakes() {
        configure(ConfigKeys.PENDING_MAX, 2);
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            endpoints.add(client().connect(server()));
        }
        progressUntil(
                () -> server().events().count(Event.Kind.CONNECTED) == 20
                        && client().events().count(Event.Kind.CONNECTED) == 20,
                "all of 20 to be connected");
        assertTrue(endpoints.stream().allMatch(endpoint -> endpoint.state() == EndpointState.CONNECTED));
    }

    @Test
    @Semantics("C-91")
    void shouldConnectTwoHundredAtOnce() {
        for (int i = 0; i < 200; i++) {
            client().connect(server());
            server().worker().progress();
        }
        progressUntil(
                () -> server().events().count(Event.Kind.CONNECTED) == 200
                        && client().events().count(Event.Kind.CONNECTED) == 200,
                "all of 200 to be connected");
    }

    @Test
    @Semantics("C-95")
    void shouldMakeProgressBesideThousandsThatWaitToBegin() throws IOException {
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofMinutes(5));
        try (RawListener silent = new RawListener()) {
            List<Endpoint> waiting = new ArrayList<>();
            for (int i = 0; i < THOUSANDS; i++) {
                waiting.add(client().connect(silent.address()));
            }
            for (int turn = 0; turn < TURNS; turn++) {
                client().worker().progress();
                server().worker().progress();
            }
            connect();
            waiting.forEach(Endpoint::abort);
        }
    }

    @Test
    @Semantics("C-16")
    void shouldTellEachListenersOwnHandler() {
        Events other = new Events(server().recorder(), Thread.currentThread());
        Listener second = server().worker().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), other);
        connect();
        client().connect(second.address());
        progressUntil(() -> other.count(Event.Kind.CONNECTED) == 1, "the second listener's handler to be told");
        assertEquals(1, server().events().count(Event.Kind.CONNECTED));
    }

    @Test
    @Semantics("C-17")
    void shouldConnectBothWaysAtOnce() {
        server().listener();
        client().listener();
        Endpoint there = client().connect(server());
        Endpoint back = server().connect(client());
        progressUntil(
                () -> client().events().count(Event.Kind.CONNECTED) == 2
                        && server().events().count(Event.Kind.CONNECTED) == 2,
                "both connections to be made");
        assertEquals(EndpointState.CONNECTED, there.state());
        assertEquals(EndpointState.CONNECTED, back.state());
    }

    @Test
    @Semantics("C-18")
    void shouldConnectAnewAfterAClose() {
        Pair first = connect();
        first.client().endpoint().close();
        progressUntil(() -> server().events().ended(first.server().endpoint()), "the first connection to end");
        Pair second = connect();
        assertNotEquals(first.client().endpoint(), second.client().endpoint());
        assertEquals(
                first.client().endpoint().peerIncarnation(),
                second.client().endpoint().peerIncarnation());
        long received = second.server().receive(buffer(8), 1);
        second.client().send(pattern(8, 1), 1);
        assertSame(
                second.server().endpoint(),
                completeOk(second.server(), received).source().orElseThrow());
    }

    @Test
    @Semantics("C-19")
    void shouldSeeARestartedPeerByItsIncarnation() {
        Side first = newSide("restarting");
        long before = connect(client(), first).client().endpoint().peerIncarnation();
        Side second = newSide("restarting");
        long after = connect(client(), second).client().endpoint().peerIncarnation();
        assertNotEquals(before, after);
    }

    @Test
    @Semantics("C-20")
    void shouldRequireRdmaOrRefuse() {
        assertPolicy(PathPolicy.REQUIRE_RDMA, transport().pathClass() == PathClass.RDMA);
    }

    @Test
    @Semantics("C-21")
    void shouldTakeTcpOnlyWhereAsked() {
        assertPolicy(PathPolicy.TCP_ONLY, transport().pathClass() == PathClass.TCP);
    }

    @Test
    @Semantics("C-22")
    void shouldTakeTheNamedTransport() {
        assertPolicy(PathPolicy.named(transport().name()), true);
    }

    @Test
    @Semantics("C-23")
    void shouldRefuseWhereTheNamedTransportIsMissing() {
        assertPolicy(PathPolicy.named("no-such-transport"), false);
    }

    @Test
    @Semantics("C-24")
    void shouldHoldConnectionsToTheListenersPolicyToo() {
        configure(ConfigKeys.POLICY, unsatisfiedPolicy());
        listener();
        configure(ConfigKeys.POLICY, PathPolicy.AUTO);
        assertRefused(client().connect(server()));
    }

    @Test
    @Semantics("C-25")
    void shouldTakeTheConfiguredPolicyUnlessTheCallHasItsOwn() {
        listener();
        configure(ConfigKeys.POLICY, unsatisfiedPolicy());
        assertRefused(client().connect(server()));
        Endpoint endpoint = client().connect(server(), PathPolicy.AUTO);
        progressUntil(() -> endpoint.state() != EndpointState.CONNECTING, "the connection with its own policy");
        assertEquals(
                EndpointState.CONNECTED,
                endpoint.state(),
                () -> endpoint.failure().toString());
        progressUntil(() -> server().events().count(Event.Kind.CONNECTED) == 1, "the server to be connected");
    }

    @Test
    @Semantics("C-26")
    void shouldKeepOtherEndpointsWhenAConnectionIsRefused() {
        Pair pair = connect();
        assertRefused(client().connect(server(), PathPolicy.named("no-such-transport")));
        MemorySegment target = buffer(8);
        long received = pair.server().receive(target, 2);
        pair.client().send(pattern(8, 2), 2);
        completeOk(pair.server(), received);
        assertEquals(1, server().events().all().size());
    }

    @Test
    @Semantics("C-27")
    void shouldCarryDataBothWaysOnOneConnection() {
        Pair pair = connect();
        MemorySegment here = buffer(4096);
        MemorySegment there = buffer(4096);
        long atClient = client().receive(here, 6, Worker.FULL_TAG_MASK);
        long atServer = server().receive(there, 6, Worker.FULL_TAG_MASK);
        pair.client().send(pattern(4096, 1), 6);
        pair.server().send(pattern(4096, 2), 6);
        completeOk(pair.client(), atClient);
        completeOk(pair.server(), atServer);
        Pattern.verify(there, 0, 4096, 1);
        Pattern.verify(here, 0, 4096, 2);
    }

    @Test
    @Semantics("C-28")
    void shouldLeaveOtherEndpointsOfTheSameWorkersAloneThatConnectedMeanwhile() {
        server().listener();
        client().listener();
        List<Pair> pairs = connectCrosswise(6);
        for (int turn = 0; !pairs.isEmpty(); turn++) {
            for (Pair pair : pairs) {
                exchange(pair.client(), pair.server());
                exchange(pair.server(), pair.client());
            }
            Pair ending = pairs.remove(turn % pairs.size());
            (turn % 2 == 0 ? ending.client() : ending.server()).endpoint().close();
            progressUntil(
                    () -> ending.client().events().ended(ending.client().endpoint())
                            && ending.server().events().ended(ending.server().endpoint()),
                    "both ends of endpoint " + ending.client().endpoint().id());
        }
    }

    @Test
    @Semantics("C-29")
    void shouldConnectBehindConnectionsThatWereGivenUp() {
        server().listener();
        for (int progress = 0; progress < 12; progress++) {
            Endpoint givenUp = client().connect(server());
            for (int i = 0; i < progress; i++) {
                client().progress();
                server().progress();
            }
            givenUp.abort();
            if (progress % 3 == 0) {
                Pair pair = connect();
                exchange(pair.client(), pair.server());
                exchange(pair.server(), pair.client());
            }
        }
    }

    /** Connects at the same time, every other endpoint from the server's side. The client of a pair is the connector. */
    private List<Pair> connectCrosswise(int count) {
        List<End> begun = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Side from = i % 2 == 0 ? client() : server();
            begun.add(new End(from, from.connect(i % 2 == 0 ? server() : client())));
        }
        progressUntil(
                () -> client().events().count(Event.Kind.CONNECTED) == count
                        && server().events().count(Event.Kind.CONNECTED) == count,
                "all endpoints to be connected");
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            End from = begun.get(i);
            Side to = i % 2 == 0 ? server() : client();
            long received = to.receive(buffer(8), i, Worker.FULL_TAG_MASK);
            from.send(pattern(8, i), i);
            Endpoint source = complete(to, received).source().orElseThrow();
            pairs.add(new Pair(new End(to, source), from));
        }
        return pairs;
    }

    /** A short message and a long one for whose match the sender waits. */
    private void exchange(End from, End to) {
        for (int length : new int[] {8, 100_000}) {
            MemorySegment target = buffer(length);
            long received = to.receive(target, length);
            long sent = from.sendSynchronous(pattern(length, length), length);
            completeOk(to, received);
            completeOk(from, sent);
            Pattern.verify(target, 0, length, length);
        }
    }

    private void assertPolicy(PathPolicy policy, boolean allowed) {
        Endpoint endpoint = client().connect(server(), policy);
        if (!allowed) {
            assertRefused(endpoint);
            return;
        }
        progressUntil(() -> endpoint.state() != EndpointState.CONNECTING, "the connection under " + policy);
        assertEquals(
                EndpointState.CONNECTED,
                endpoint.state(),
                () -> endpoint.failure().toString());
        assertEquals(transport().name(), endpoint.path().orElseThrow().transport());
        progressUntil(() -> server().events().count(Event.Kind.CONNECTED) == 1, "the server to be connected");
    }

    private void assertRefused(Endpoint endpoint) {
        progressUntil(() -> client().events().ended(endpoint), "the refusal");
        assertEquals(EndpointState.FAILED, endpoint.state());
        FairleadException failure = endpoint.failure().orElseThrow();
        assertEquals(Reason.NO_PATH, failure.reason());
        assertMentions(transport().name(), failure);
        assertTrue(endpoint.path().isEmpty());
    }
}
