package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.spi.TransportProvider;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.fault.FaultInjectingProvider;
import io.fairlead.testkit.fault.FaultPlan;
import io.fairlead.testkit.internal.SpareProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Failed connections of nodes, and the connections that replace them. */
public class NodeFailureContract extends NodeCases {
    private static final ReconnectPolicy SOON =
            ReconnectPolicy.afterFailure(Duration.ofMillis(1), Duration.ofMillis(20));

    /** Creates the suite. */
    protected NodeFailureContract() {}

    @Test
    @Semantics("K-15")
    void shouldStartANodeWhoseWorkersLackATransport() {
        configure(ConfigKeys.TRANSPORTS, "");
        FaultPlan plan = new FaultPlan().failWorkers(Integer.MAX_VALUE);
        List<TransportProvider> faulty =
                List.of(new FaultInjectingProvider(transport().provider(), plan), new SpareProvider());
        Node lacking = closeLater(
                ChosenTransports.with(faulty, () -> Node.start(config().with(ConfigKeys.NODE_NAME, "lacking"))));
        Node whole = closeLater(ChosenTransports.with(
                List.of(transport().provider(), new SpareProvider()),
                () -> Node.start(config().with(ConfigKeys.NODE_NAME, "whole"))));
        CompletableFuture<Message> received = whole.receive(7);
        Listener listener = whole.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), _ -> {});
        Peer peer = get(lacking.connect(listener.address()));
        assertEquals(SpareProvider.NAME, peer.path().transport());
        get(peer.send(pattern(100, 1), 7));
        assertEquals(100, get(received).length());
    }

    @Test
    @Semantics("O-40")
    void shouldFailEverythingInFlightOnce() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        configureFewCredits();
        Peers peers = connectNodes();
        Peers bystanders = connectNodes();
        MemoryRegion region = serverNode().allocate(4096, EnumSet.allOf(AccessRight.class));
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        CompletableFuture<Message> ofBystander = bystanders.client().receive(1);
        List<CompletableFuture<?>> inFlight = new ArrayList<>();
        AtomicInteger completions = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            // Many of these are in the engine, and as many still wait for credits.
            inFlight.add(peers.client().send(new byte[100], 7));
            inFlight.add(peers.client().sendSynchronous(pattern(100, i), 7));
            inFlight.add(peers.client().receive(1));
            inFlight.add(peers.client().put(pattern(8, i), key, 0));
            inFlight.add(peers.client().get(buffer(8), key, 0));
            inFlight.add(peers.client().fetchAdd(1, key, 8));
            inFlight.add(peers.client().flush());
        }
        List<CompletableFuture<?>> counted = new ArrayList<>();
        inFlight.forEach(future -> counted.add(future.handle((_, _) -> completions.incrementAndGet())));
        peers.server().abort();
        counted.forEach(NodeCases::get);
        assertEquals(inFlight.size(), completions.get());
        for (CompletableFuture<?> future : inFlight) {
            if (future.isCompletedExceptionally()) {
                assertEquals(Status.PEER_FAILED, failureOf(future).status().orElseThrow());
            }
        }
        assertTrue(inFlight.get(2).isCompletedExceptionally());
        assertEquals(EndpointState.FAILED, peers.client().state());
        assertEquals(
                Status.PEER_FAILED,
                failureOf(peers.client().send(new byte[1], 1)).status().orElseThrow());
        assertFalse(ofBystander.isDone());
        get(bystanders.server().send(new byte[3], 1));
        assertEquals(3, get(ofBystander).length());
    }

    @Test
    @Semantics("O-41")
    void shouldReceiveAfterEndWhatHadArrivedBefore() {
        Peers peers = connectNodes();
        CountDownLatch ended = new CountDownLatch(1);
        peers.server().onClosed(_ -> ended.countDown());
        get(peers.client().send(pattern(100, 1), 1));
        get(peers.client().send(pattern(100, 2), 2));
        get(peers.client().flush());
        peers.client().close();
        await(ended, "the server's peer to end");
        Pattern.verify(get(peers.server().receive(2)).segment(), 0, 100, 2);
        Pattern.verify(get(serverNode().receive(1)).segment(), 0, 100, 1);
        assertEquals(
                Status.CLOSED, failureOf(peers.server().receive(1)).status().orElseThrow());
    }

    @Test
    @Semantics("O-42")
    void shouldTellOfEndOnceAndAfterOperations() {
        Peers peers = connectNodes();
        CompletableFuture<Message> receive = peers.client().receive(1);
        BlockingQueue<Optional<FairleadException>> told = new LinkedBlockingQueue<>();
        BlockingQueue<Boolean> receiveDone = new LinkedBlockingQueue<>();
        peers.client().onClosed(cause -> {
            receiveDone.add(receive.isDone());
            told.add(cause);
        });
        peers.server().abort();
        assertTrue(take(told, "the end").isPresent());
        assertTrue(take(receiveDone, "the end"));
        peers.client().onClosed(told::add);
        assertEquals(peers.client().failure(), take(told, "the end, told late"));
        peers.client().close();
        assertTrue(told.isEmpty());

        BlockingQueue<Optional<FairleadException>> closed = new LinkedBlockingQueue<>();
        Peers others = connectNodes();
        others.client().onClosed(closed::add);
        others.server().close();
        assertEquals(Optional.empty(), take(closed, "the goodbye"));
        assertEquals(EndpointState.CLOSED, others.client().state());
    }

    @Test
    @Semantics("O-43")
    void shouldConnectAgainAfterFailure() {
        requires(Capability.GET);
        Peers peers = connectNodes(SOON);
        CountDownLatch again = new CountDownLatch(1);
        peers.client().onReconnect(again::countDown);
        MemoryRegion region = serverNode().allocate(64, EnumSet.allOf(AccessRight.class));
        PeerKey old = get(peers.client().unpack(region.packedKey()));
        CompletableFuture<Message> receive = peers.client().receive(1);
        CompletableFuture<Message> unmatched = peers.client().receive(2);

        peers.server().abort();
        assertEquals(Status.PEER_FAILED, failureOf(receive).status().orElseThrow());
        assertEquals(Status.PEER_FAILED, failureOf(unmatched).status().orElseThrow());
        await(again, "the connection to be made again");
        assertEquals(EndpointState.CONNECTED, peers.client().state());
        assertEquals(1, clientNode().context().statistics().value(Counter.RECONNECTS));
        Peer server = nextAccepted();
        get(peers.client().send(pattern(10, 1), 3));
        Pattern.verify(get(server.receive(3)).segment(), 0, 10, 1);
        assertEquals(
                Reason.STALE_KEY,
                failureOf(peers.client().get(buffer(8), old, 0)).reason());
        old.close();
        PeerKey fresh = get(peers.client().unpack(region.packedKey()));
        get(peers.client().get(buffer(8), fresh, 0));
    }

    @Test
    @Semantics("O-44")
    void shouldHoldOperationsWhileConnecting() {
        Peers peers = connectNodes(ReconnectPolicy.afterFailure(Duration.ofSeconds(1), Duration.ofSeconds(1)));
        CompletableFuture<Message> before = peers.client().receive(1);
        peers.server().abort();
        assertEquals(Status.PEER_FAILED, failureOf(before).status().orElseThrow());
        assertEquals(EndpointState.CONNECTING, peers.client().state());
        assertTrue(peers.client().failure().isPresent());
        CompletableFuture<Void> send = peers.client().send(pattern(10, 1), 1);
        CompletableFuture<Message> receive = peers.client().receive(2);
        Peer server = nextAccepted();
        Pattern.verify(get(server.receive(1)).segment(), 0, 10, 1);
        get(send);
        get(server.send(pattern(20, 2), 2));
        Pattern.verify(get(receive).segment(), 0, 20, 2);
    }

    @Test
    @Semantics("O-45")
    void shouldFailOperationsWhileConnectingIfConfigured() {
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Peers peers = connectNodes(ReconnectPolicy.afterFailure(Duration.ofMinutes(10), Duration.ofMinutes(10)));
        CompletableFuture<Message> before = peers.client().receive(1);
        peers.server().abort();
        assertEquals(Status.PEER_FAILED, failureOf(before).status().orElseThrow());
        FairleadException failure = failureOf(peers.client().send(new byte[1], 1));
        assertEquals(Status.NOT_CONNECTED, failure.status().orElseThrow());
        assertEquals(Reason.NOT_CONNECTED, failure.reason());
    }

    @Test
    @Semantics("O-46")
    void shouldConnectAgainAfterGoodbyeOnlyIfAsked() {
        Peers failing = connectNodes(SOON);
        CountDownLatch ended = new CountDownLatch(1);
        failing.client().onClosed(_ -> ended.countDown());
        failing.server().close();
        await(ended, "the goodbye to end the peer");

        Peers always = connectNodes(ReconnectPolicy.always(Duration.ofMillis(1), Duration.ofMillis(20)));
        CountDownLatch again = new CountDownLatch(1);
        always.client().onReconnect(again::countDown);
        always.server().close();
        await(again, "the connection to be made again");
    }

    @Test
    @Semantics("O-47")
    void shouldEndWithLastFailure() {
        BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
        Listener listener = serverNode().listen(loopback(), accepted::add);
        Peer client = get(clientNode().connect(listener.address(), PathPolicy.AUTO, SOON.attemptsAtMost(3)));
        BlockingQueue<Optional<FairleadException>> told = new LinkedBlockingQueue<>();
        client.onClosed(told::add);
        listener.close();
        CompletableFuture<Message> receive = client.receive(1);
        take(accepted, "the server's peer").abort();
        failureOf(receive);
        CompletableFuture<Void> waiting = client.send(new byte[1], 1);
        FairleadException last = take(told, "the end").orElseThrow();
        assertEquals(Reason.CONNECTION_REFUSED, last.reason());
        assertEquals(Status.PEER_FAILED, failureOf(waiting).status().orElseThrow());
        assertEquals(EndpointState.FAILED, client.state());
    }

    @Test
    @Semantics("O-48")
    void shouldTellWhyItCannotConnect() {
        Listener listener = serverNode().listen(loopback(), NodeFailureContract::ignore);
        InetSocketAddress address = listener.address();
        listener.close();
        assertEquals(
                Reason.CONNECTION_REFUSED,
                failureOf(clientNode().connect(address)).reason());
        assertEquals(
                Reason.UNKNOWN_HOST,
                failureOf(clientNode().connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
                        .reason());
    }

    @Test
    @Semantics("O-49")
    void shouldGiveUpConnectingWhenCancelled() {
        BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
        Listener listener = serverNode().listen(loopback(), accepted::add);
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Peer> connecting = clientNode().connect(listener.address());
            if (!connecting.cancel(true)) {
                get(connecting).close();
            }
        }
        // Whatever the server has accepted on the way ends: nobody at the other side has the peer.
        Peer last = get(clientNode().connect(listener.address()));
        get(last.send(new byte[1], 1));
        Peer known = get(serverNode().receive(1)).source();
        for (Peer peer : accepted) {
            if (!peer.equals(known)) {
                CountDownLatch ended = new CountDownLatch(1);
                peer.onClosed(_ -> ended.countDown());
                await(ended, "the peer to end that nobody has at the other side");
            }
        }
    }

    private static void ignore(Peer peer) {}
}
