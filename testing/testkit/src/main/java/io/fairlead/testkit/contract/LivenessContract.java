package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Advice;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Liveness: when a stalled peer is given up, and when not. */
public class LivenessContract extends TransportContract {
    private static final int BURST = 100;

    private static final int LONG_TURNS = 20;

    /** Creates the suite. */
    protected LivenessContract() {}

    @Test
    @Semantics({"F-14", "F-72"})
    void shouldGiveUpAPeerThatStandsStillForTooLong() {
        listener();
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(300));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofMillis(600));
        Pair pair = connect();
        long id = pair.client().receive(buffer(8), 1);
        driveUntil(client(), () -> client().events().ended(pair.client().endpoint()), "stall.timeout to pass");
        assertEquals(Status.PEER_FAILED, client().recorder().outcome(id).status());
        FairleadException failure = pair.client().endpoint().failure().orElseThrow();
        assertEquals(Reason.PEER_SILENT, failure.reason());
        assertEquals(Advice.RECONNECT, failure.advice());
        assertMentions("stall.timeout=600 ms", failure);
        assertMentions("silent=", failure);
        // The server's limit is a minute, so the end of the connection notifies it first.
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to learn of it");
        assertEquals(
                Reason.PEER_LOST,
                pair.server().endpoint().failure().orElseThrow().reason());
    }

    @Test
    @Semantics("F-71")
    void shouldKeepAPeerThatStandsStillForLessThanTheStallTimeout() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(500));
        PeerThread peer = newPeerThread("blocked");
        End client = connect(peer);
        MemorySegment late = buffer(8);
        peer.stall();
        long sent = client.sendSynchronous(pattern(8, 1), 1);
        long until = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        progressUntil(() -> System.nanoTime() - until > 0, "several liveness timeouts to pass");
        assertEquals(
                EndpointState.CONNECTED,
                client.endpoint().state(),
                () -> client.endpoint().failure().toString());
        peer.goOn();
        long taken = peer.call(side -> new End(side, side.events().lastConnected()).receive(late, 1));
        completeOk(client, sent);
        progressUntil(() -> peer.call(side -> side.recorder().has(taken)), "the peer to receive");
        Pattern.verify(late, 0, 8, 1);
        assertEquals(
                EndpointState.CONNECTED,
                peer.call(side -> side.events().lastConnected().state()));
        MemorySegment answer = buffer(8);
        long received = client.receive(answer, 2);
        peer.run(side -> new End(side, side.events().lastConnected()).send(pattern(8, 2), 2));
        completeOk(client, received);
        Pattern.verify(answer, 0, 8, 2);
    }

    @Test
    @Semantics("F-71")
    void shouldKeepItsEndpointsWhenItStoodStillUnderTraffic() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(500));
        PeerThread peer = newPeerThread("talking");
        End client = connect(peer);
        MemorySegment message = pattern(8, 1);
        peer.run(side -> {
            End end = new End(side, side.events().lastConnected());
            for (int i = 0; i < BURST; i++) {
                end.send(message, 1);
            }
        });
        standStill();
        for (int i = 0; i < BURST; i++) {
            completeOk(client, client.receive(buffer(8), 1));
        }
        long sent = client.sendSynchronous(message, 2);
        MemorySegment target = buffer(8);
        peer.run(side -> new End(side, side.events().lastConnected()).receive(target, 2));
        completeOk(client, sent);
        assertEquals(EndpointState.CONNECTED, client.endpoint().state());
    }

    @Test
    @Semantics("L-35")
    void shouldRefuseAStallTimeoutBelowTheLivenessTimeout() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(3));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofSeconds(3));
        openContext(config()).close();
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofMillis(2999));
        FairleadException refused = assertThrows(FairleadException.class, () -> openContext(config()));
        assertEquals(Reason.CONFIGURATION, refused.reason());
        assertMentions("stall.timeout=2999 ms, liveness.timeout=3000 ms", refused);
    }

    @Test
    @Semantics("F-15")
    void shouldKeepAnIdlePeerThatMakesProgress() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(1));
        Pair pair = connect();
        long until = System.nanoTime() + Duration.ofMillis(2500).toNanos();
        progressUntil(() -> System.nanoTime() - until > 0, "several liveness timeouts to pass");
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("F-16")
    void shouldNotBlameThePeerForAStallOfItsOwn() {
        PeerThread peer = newPeerThread("lively");
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(1));
        End client = connect(peer);
        standStill();
        MemorySegment target = buffer(8);
        long received = client.receive(target, 1);
        peer.run(side -> new End(side, side.events().lastConnected()).send(pattern(8, 1), 1));
        completeOk(client, received);
        assertEquals(EndpointState.CONNECTED, client.endpoint().state());
    }

    @Test
    @Semantics("F-16")
    void shouldConnectInSpiteOfAStallOfItsOwn() {
        PeerThread peer = newPeerThread("lively");
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(1));
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(1));
        Endpoint endpoint = client().connect(peer.address());
        standStill();
        driveUntil(client(), () -> endpoint.state() != EndpointState.CONNECTING, "the endpoint to connect");
        assertEquals(
                EndpointState.CONNECTED,
                endpoint.state(),
                () -> endpoint.failure().toString());
    }

    @Test
    @Semantics({"F-14", "F-74"})
    void shouldGiveUpAPeerInTurnsThatAreBusyAndLong() {
        listener();
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(300));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofMillis(600));
        Pair pair = connect();
        driveUntil(
                client(),
                () -> {
                    keepBusy(client(), Duration.ofMillis(31));
                    return client().events().ended(pair.client().endpoint());
                },
                "stall.timeout to pass in busy turns");
        assertEquals(
                Reason.PEER_SILENT,
                pair.client().endpoint().failure().orElseThrow().reason());
    }

    @Test
    @Semantics({"F-14", "F-74"})
    void shouldGiveUpAPeerInTurnsThatAreLongerThanItsTimeouts() {
        listener();
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(100));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofMillis(200));
        Pair pair = connect();
        driveUntil(
                client(),
                () -> {
                    standStill(Duration.ofMillis(300));
                    return client().events().ended(pair.client().endpoint());
                },
                "stall.timeout to pass in long turns");
        assertEquals(
                Reason.PEER_SILENT,
                pair.client().endpoint().failure().orElseThrow().reason());
    }

    @Test
    @Semantics({"C-39", "F-74"})
    void shouldGiveUpConnectingInLongTurns() throws IOException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(500));
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(1));
        try (RawListener silent = new RawListener()) {
            Endpoint endpoint = client().connect(silent.address());
            driveUntil(
                    client(),
                    () -> {
                        standStill(Duration.ofMillis(400));
                        return client().events().ended(endpoint);
                    },
                    "connect.timeout to pass in long turns");
            assertEquals(Reason.TIMED_OUT, endpoint.failure().orElseThrow().reason());
        }
    }

    @Test
    @Semantics("F-15")
    void shouldKeepAPeerWhoseTurnsAreBusyAndLong() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(200));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofMillis(1500));
        PeerThread peer = newPeerThread("busy");
        End client = connect(peer);
        AtomicInteger turns = new AtomicInteger();
        peer.run(side -> side.worker().attach(new WorkerTask() {
            @Override
            public int run() {
                // A look at the connections in every eighth turn would be a silence beyond stall.timeout.
                standStill(Duration.ofMillis(300));
                keepBusy(side, Duration.ZERO);
                turns.incrementAndGet();
                return 1;
            }
        }));
        progressUntil(() -> turns.get() > LONG_TURNS, "the peer to make long turns");
        assertEquals(
                EndpointState.CONNECTED,
                client.endpoint().state(),
                () -> client.endpoint().failure().toString());
    }

    /** Gives a worker something to complete in its next turn, and takes the time of a turn. */
    private void keepBusy(Side side, Duration turn) {
        assertTrue(side.worker().cancel(side.receive(buffer(8), 7, Worker.FULL_TAG_MASK)));
        standStill(turn);
    }

    private static void standStill() {
        standStill(Duration.ofMillis(2500));
    }

    private static void standStill(Duration duration) {
        long until = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
