package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.internal.Relay;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * Rounds in each of which a peer in another process is killed, stopped or cut off while operations of every kind are in flight in both directions. Every
 * operation completes once, and after all rounds the surviving process holds no more memory, descriptors and threads than before. The system
 * property {@value #ROUNDS} sets the number of rounds.
 */
public class FaultRoundsContract extends TransportContract {
    private static final String ROUNDS = "fairlead.test.rounds";
    private static final int ROUNDS_DEFAULT = 20;
    /** One of each fault, in each of the two roles. */
    private static final int WARM_UP = 2 * Fault.values().length;

    private static final Duration LIVENESS = Duration.ofSeconds(2);
    private static final int TURNS_MAX = 16;

    /** What happens to the peer, in the order of the rounds. Cheap ones, which the process outlives, come more than once. */
    private enum Fault {
        CUT,
        KILLED_BUSY,
        CUT_BUSY,
        SILENT,
        KILLED_STANDING,
        STOPPED_AND_CONTINUED,
        CUT_AGAIN,
        STOPPED_AND_KILLED;

        /** Whether the process is there for the next round. */
        boolean survived() {
            return switch (this) {
                case CUT, CUT_BUSY, CUT_AGAIN, SILENT, STOPPED_AND_CONTINUED -> true;
                case KILLED_BUSY, KILLED_STANDING, STOPPED_AND_KILLED -> false;
            };
        }
    }

    private final Map<Fault, Long> slowestMs = new EnumMap<>(Fault.class);
    private @Nullable PeerProcess process;
    private int processPort;

    /** Creates the suite. */
    protected FaultRoundsContract() {}

    @BeforeEach
    final void needRemoteMemory() {
        requires(Capability.PUT, Capability.PUT_SIGNAL, Capability.GET, Capability.ATOMIC);
    }

    @Test
    @Timeout(1800)
    @Semantics({"F-56", "F-57", "N-16"})
    void shouldOutliveRoundsOfFaults(TestReporter reporter) throws IOException, InterruptedException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LIVENESS);
        // Peers that are stopped, and those behind a network that keeps what it is given, end by this one.
        configure(ConfigKeys.STALL_TIMEOUT, LIVENESS);
        int rounds = Math.max(Integer.getInteger(ROUNDS, ROUNDS_DEFAULT), WARM_UP + 1);
        ProcessHoldings before = null;
        try (Arena arena = Arena.ofShared()) {
            FaultParty party = new FaultParty(server(), arena);
            for (int round = 0; round < rounds; round++) {
                if (round == WARM_UP) {
                    before = ProcessHoldings.now();
                }
                Fault fault = Fault.values()[round % Fault.values().length];
                round(party, round, fault, round / Fault.values().length % 2 == 0);
            }
            endProcess();
            assertNothingGrew(before, rounds - WARM_UP, reporter);
            // The regions' memory must outlive the context that knows it.
            discard(server());
        } finally {
            endProcess();
        }
        slowestMs.forEach((fault, ms) -> reporter.publishEntry(fault + ": noticed within", ms + " ms"));
    }

    private void round(FaultParty party, int round, Fault fault, boolean peerConnects)
            throws IOException, InterruptedException {
        PeerProcess peer = running();
        try (Relay relay = new Relay(
                peerConnects
                        ? listener().address()
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), processPort))) {
            party.begin(connected(peer, relay, round, peerConnects));
            waitFor(peer, () -> party.ready() && peer.said("ready " + round), "both to know the keys: round=" + round);
            long since = inject(fault, party, peer, relay, round);
            progressUntil(party::ended, "the fault to be noticed: " + fault + ", round=" + round);
            slowestMs.merge(fault, (System.nanoTime() - since) / 1_000_000, Math::max);
            party.reuseBuffers();
            assertEquals(List.of(), party.verdict(), () -> fault + ", round=" + round + ", " + server());
            if (fault == Fault.STOPPED_AND_CONTINUED) {
                peer.goOn();
            }
            if (fault.survived()) {
                String words = "verdict " + round + " ";
                waitFor(
                        peer,
                        () -> peer.saidAfter(words).isPresent(),
                        "the peer's verdict: " + fault + ", round=" + round);
                assertEquals(
                        "[]", peer.saidAfter(words).orElseThrow(), () -> "the peer, " + fault + ", round=" + round);
            } else {
                endProcess();
            }
        }
    }

    private Endpoint connected(PeerProcess peer, Relay relay, int round, boolean peerConnects) {
        if (peerConnects) {
            peer.command(round + " " + relay.address().getPort());
        } else {
            peer.command(round + " 0");
            server().connect(relay.address());
        }
        waitFor(
                peer,
                () -> server().events().count(Event.Kind.CONNECTED)
                                + server().events().count(Event.Kind.FAILED)
                        > 0,
                "the connection: round=" + round);
        if (server().events().count(Event.Kind.CONNECTED) == 0) {
            fail("no connection: round=" + round + ", " + server() + "; the peer's process: " + peer.ending());
        }
        return server().events().lastConnected();
    }

    /** Posts operations on both sides, and does what the round is about at a moment that is another one in each round. */
    private long inject(Fault fault, FaultParty party, PeerProcess peer, Relay relay, int round)
            throws IOException, InterruptedException {
        peer.command("storm");
        boolean busy = fault == Fault.KILLED_BUSY || fault == Fault.CUT_BUSY;
        if (!busy) {
            waitFor(peer, () -> peer.said("stormed " + round), "the peer to post its operations");
        }
        if (fault == Fault.KILLED_STANDING || fault == Fault.STOPPED_AND_KILLED) {
            // Standing still first, it answers nothing of what this side posts.
            peer.stop();
        }
        party.storm();
        for (int i = 0; i < round % TURNS_MAX; i++) {
            progress();
        }
        long since = System.nanoTime();
        switch (fault) {
            case CUT, CUT_BUSY, CUT_AGAIN -> relay.cut();
            case SILENT -> relay.freeze();
            case KILLED_BUSY, KILLED_STANDING -> peer.kill();
            case STOPPED_AND_CONTINUED -> peer.stop();
            case STOPPED_AND_KILLED -> {}
        }
        return since;
    }

    private PeerProcess running() throws IOException {
        PeerProcess running = process;
        if (running == null) {
            PeerProcess started = new PeerProcess(transport(), FaultProgram.class, Long.toString(LIVENESS.toMillis()));
            process = started;
            waitFor(started, () -> started.saidAfter("listening ").isPresent(), "the peer's process to listen");
            processPort = Integer.parseInt(started.saidAfter("listening ").orElseThrow());
            running = started;
        }
        return running;
    }

    private void endProcess() throws IOException {
        if (process != null) {
            process.close();
            process = null;
        }
    }

    private void waitFor(PeerProcess peer, BooleanSupplier condition, String what) {
        progressUntil(
                () -> {
                    if (!peer.isAlive()) {
                        fail("the peer's process has ended while this one waited for " + what + ": " + peer.ending());
                    }
                    return condition.getAsBoolean();
                },
                what);
    }

    private void assertNothingGrew(@Nullable ProcessHoldings before, int rounds, TestReporter reporter) {
        ProcessHoldings start = Objects.requireNonNull(before, "before");
        progressUntil(
                () -> ProcessHoldings.now().withinThoseOf(start),
                "descriptors and shared memory to be given back: "
                        + ProcessHoldings.now().beyond(start));
        ProcessHoldings after = ProcessHoldings.now();
        long grown = after.residentBytes() - start.residentBytes();
        reporter.publishEntry("resident memory grew", grown + " bytes in " + rounds + " rounds");
        long allowed = (128L << 20) + rounds * (256L << 10);
        assertTrue(grown < allowed, () -> "resident memory has grown: bytes=" + grown + ", rounds=" + rounds);
    }
}
