package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Advice;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Liveness: when a silent peer is taken for dead, and when not. */
public class LivenessContract extends TransportContract {
    /** Creates the suite. */
    protected LivenessContract() {}

    @Test
    @Semantics("F-14")
    void shouldTakeASilentPeerForDead() {
        listener();
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(300));
        Pair pair = connect();
        long id = pair.client().receive(buffer(8), 1);
        driveUntil(client(), () -> client().events().ended(pair.client().endpoint()), "liveness.timeout to pass");
        assertEquals(Status.PEER_FAILED, client().recorder().outcome(id).status());
        FairleadException failure = pair.client().endpoint().failure().orElseThrow();
        assertEquals(Reason.PEER_SILENT, failure.reason());
        assertEquals(Advice.RECONNECT, failure.advice());
        assertMentions("liveness.timeout", failure);
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

    private static void standStill() {
        long until = System.nanoTime() + Duration.ofMillis(2500).toNanos();
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
