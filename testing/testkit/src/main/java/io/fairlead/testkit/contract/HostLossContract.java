package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A peer whose host vanishes from the network without a word: nothing is closed, and nothing reset. */
public class HostLossContract extends ProcessCases {
    private static final Duration LIVENESS = Duration.ofMillis(500);
    private static final int CHUNK = 64 << 10;
    private static final int TURNS = 200;

    /** Creates the suite. */
    protected HostLossContract() {}

    @Test
    @Semantics("F-41")
    void shouldTakeAVanishedHostForLost() throws IOException {
        try (OtherHost host = OtherHost.open();
                PeerProcess process = startOn(host)) {
            Remote remote = meet(process);
            long id = remote.end().receive(buffer(8), 1);
            host.vanish();
            awaitLoss(remote, process);
            assertEquals(Status.PEER_FAILED, server().recorder().outcome(id).status());
        }
    }

    @Test
    @Semantics("F-41")
    void shouldTakeAHostForLostWhoseWireIsPulled() throws IOException {
        try (OtherHost host = OtherHost.open();
                PeerProcess process = startOn(host)) {
            Remote remote = meet(process);
            host.unplug();
            awaitLoss(remote, process);
        }
    }

    @Test
    @Semantics("F-41")
    void shouldTakeAHostForLostThatVanishesUnderTraffic() throws IOException {
        assumeTrue(transport().capabilities().contains(Capability.PUT), "the transport does not put");
        try (OtherHost host = OtherHost.open();
                PeerProcess process = startOn(host)) {
            Remote remote = meet(process);
            MemorySegment chunk = buffer(CHUNK);
            process.command("send " + CHUNK);
            for (int i = 0; i < TURNS; i++) {
                boolean _ = tryPut(remote, chunk);
                progress();
            }
            host.vanish();
            progressUntil(
                    () -> server().events().ended(remote.end().endpoint()) || !tryPut(remote, chunk),
                    "the queue to be full or the loss to be noticed");
            awaitLoss(remote, process);
        }
    }

    @Test
    @Semantics("F-41")
    void shouldTakeAHostForLostThatVanishesWhileItsProcessReadsNothing() throws IOException, InterruptedException {
        try (OtherHost host = OtherHost.open();
                PeerProcess process = startOn(host)) {
            Remote remote = meet(process);
            process.stop();
            postUntilFull(remote);
            host.vanish();
            process.goOn();
            awaitLoss(remote, process);
        }
    }

    /** Listens on the wire, for a process at its other end. */
    private PeerProcess startOn(OtherHost host) throws IOException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LIVENESS);
        configure(ConfigKeys.STALL_TIMEOUT, NEVER);
        configure(ConfigKeys.SECURITY_ALLOW_INSECURE, true);
        Listener listener = server().worker().listen(new InetSocketAddress(host.address(), 0), server().events());
        return new PeerProcess(transport(), host.command(), listener.address(), LIVENESS);
    }

    private void awaitLoss(Remote remote, PeerProcess process) {
        progressUntil(() -> server().events().ended(remote.end().endpoint()), "the loss to be noticed");
        FairleadException failure = remote.end().endpoint().failure().orElseThrow();
        assertEquals(Reason.PEER_LOST, failure.reason(), failure::toString);
        assertMentions("liveness.timeout=" + LIVENESS.toMillis() + " ms", failure);
        progressUntil(
                () -> process.said("failed PEER_LOST"), "the process to notice as well; it said " + process.lines());
    }
}
