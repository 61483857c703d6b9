package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.internal.CuttingRelay;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * Endpoints with {@code endpoint.failover} over a network that breaks their connections again and again.
 *
 * <p>The system property {@value #CUTS} sets how many.
 */
@Timeout(1800)
public class FailoverContract extends TransportContract {
    private static final String CUTS = "fairlead.contract.failover-cuts";
    /** The lengths of the messages with which a connector resumes its connection. */
    private static final int RESUME_BYTES = 12 + 8 + 8 + 2 + 32;

    private static final int PROOF_BYTES = 12 + 8 + 2 + 32;
    /** What at least one side sees at once. */
    private static final List<CuttingRelay.Cut> SEEN = List.of(CuttingRelay.Cut.RESET, CuttingRelay.Cut.END);

    /** Creates the suite. */
    protected FailoverContract() {}

    @BeforeEach
    final void switchOn() {
        configure(ConfigKeys.FAILOVER, "on");
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(300));
    }

    @Test
    @Semantics({"V-01", "V-11"})
    void shouldLoseRepeatAndReorderNothing(TestReporter reporter) throws IOException {
        disturb(SEEN, cuts(), reporter);
    }

    @Test
    @Semantics("V-01")
    void shouldGoOnWhenASideSeesNothing(TestReporter reporter) throws IOException {
        disturb(List.of(CuttingRelay.Cut.HALF, CuttingRelay.Cut.FREEZE), Math.max(1, cuts() / 50), reporter);
    }

    private static int cuts() {
        return repetitions(Integer.getInteger(CUTS, 100));
    }

    private void disturb(List<CuttingRelay.Cut> ways, int cuts, TestReporter reporter) throws IOException {
        // A busy machine may take seconds for the last connection.
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30));
        long startNs = System.nanoTime();
        try (CuttingRelay relay = new CuttingRelay(listener().address(), cuts)) {
            Pair pair = connectThrough(relay);
            relay.cut(ways);
            NumberedTraffic there = traffic(pair.client(), pair.server(), 1);
            NumberedTraffic back = traffic(pair.server(), pair.client(), 2);
            // Each stretch has its own patience.
            for (int next = Math.min(100, cuts); relay.count() < cuts; next = Math.min(next + 100, cuts)) {
                int stretch = next;
                pair.client().recorder().forgetCompleted();
                pair.server().recorder().forgetCompleted();
                progressUntil(
                        () -> {
                            if (!isEnded(pair)) {
                                there.post();
                                back.post();
                            }
                            return relay.count() >= stretch || isEnded(pair);
                        },
                        stretch + " broken connections");
                assertConnected(pair);
            }
            relay.cut(List.of());
            progressUntil(
                    () -> {
                        there.postReceives();
                        back.postReceives();
                        return (there.isIdle() && back.isIdle()) || isEnded(pair);
                    },
                    "everything to arrive");
            assertConnected(pair);
            there.verify();
            back.verify();
            reporter.publishEntry(
                    "cuts=" + relay.count() + ", resumed=" + value(client(), Counter.FAILOVERS) + ", bytes again="
                            + value(client(), Counter.FAILOVER_BYTES) + ", operations=" + (there.count() + back.count())
                            + ", seconds=" + (System.nanoTime() - startNs) / 1_000_000_000);
            close(pair, server());
        }
    }

    @Test
    @Semantics("V-09")
    void shouldGoOnAtAListenerThatHandsItsConnectionsToAnotherWorker() throws IOException {
        Side other = newSide("other", server());
        int[] requests = {0};
        Listener listener = closeLater(server().worker()
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (ConnectionRequest request) -> {
                    requests[0]++;
                    Endpoint _ = other.worker().accept(request, other.events());
                }));
        try (CuttingRelay relay = new CuttingRelay(listener.address(), 1)) {
            Endpoint endpoint = client().connect(relay.address());
            progressUntil(
                    () -> endpoint.state() == EndpointState.CONNECTED
                            && other.events().count(Event.Kind.CONNECTED) == 1,
                    "both ends to be connected");
            Pair pair = new Pair(new End(other, other.events().lastConnected()), new End(client(), endpoint));
            relay.cut(List.of());
            exchange(pair, 1);
            exchange(pair, 2);
            awaitResumed(other);
            assertEquals(1, requests[0], "requests");
            // Of another one the handler is notified, though a connection may be resumed here.
            Endpoint second = client().connect(listener.address());
            progressUntil(
                    () -> second.state() == EndpointState.CONNECTED
                            && other.events().count(Event.Kind.CONNECTED) == 2,
                    "the second connection");
            assertEquals(2, requests[0], "requests");
            exchange(new Pair(new End(other, other.events().lastConnected()), new End(client(), second)), 3);
            close(pair, other);
            // A stranger who has not said what he wants goes with the listener.
            try (SocketChannel silent = SocketChannel.open(listener.address())) {
                silent.configureBlocking(false);
                progressUntilIdle();
                listener.close();
                progressUntil(() -> hasEnded(silent), "the stranger's connection to end");
            }
            assertEquals(2, requests[0], "requests");
        }
    }

    private static boolean hasEnded(SocketChannel socket) {
        try {
            return socket.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException reset) {
            return true;
        }
    }

    @Test
    @Semantics("V-22")
    void shouldGoOnFromTheMomentWhenOneEndIsConnected() throws IOException {
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            for (int round = 0; round < repetitions(40); round++) {
                int connected = server().events().count(Event.Kind.CONNECTED);
                Endpoint endpoint = client().connect(relay.address());
                progressUntil(
                        () -> endpoint.state() == EndpointState.CONNECTED
                                || server().events().count(Event.Kind.CONNECTED) > connected,
                        "an end to be connected");
                relay.cut(List.of());
                Pair pair = awaitBoth(endpoint, connected);
                exchange(pair, round);
                close(pair, server());
            }
            assertTrue(relay.count() >= repetitions(40), "cuts=" + relay.count());
        }
    }

    @Test
    @Semantics("V-21")
    void shouldGoOnWithinAContext() throws IOException {
        // Which of its two ends is there first differs from round to round.
        PeerThread listening = newPeerThread("listening", client());
        for (int round = 0; round < repetitions(20); round++) {
            try (CuttingRelay relay = new CuttingRelay(listening.address(), 1)) {
                int connected = round + 1;
                Endpoint endpoint = client().connect(relay.address());
                progressUntil(
                        () -> endpoint.state() == EndpointState.CONNECTED
                                && listening.call(side -> side.events().count(Event.Kind.CONNECTED)) == connected,
                        "both ends to be connected through the relay");
                End end = new End(client(), endpoint);
                for (int message = 0; message < 6; message++) {
                    MemorySegment target = buffer(5_000);
                    long received = end.receive(target, message);
                    int seed = 6 * round + message;
                    listening.run(
                            side -> new End(side, side.events().lastConnected()).send(pattern(5_000, seed), seed % 6));
                    completeOk(end, received);
                    Pattern.verify(target, 0, 5_000, seed);
                    if (message == 3) {
                        relay.cut(List.of());
                    }
                }
                endpoint.startClose();
                progressUntil(() -> client().events().ended(endpoint), "the end to be closed");
                assertEquals(EndpointState.CLOSED, endpoint.state(), () -> String.valueOf(endpoint.failure()));
            }
        }
    }

    @Test
    @Semantics("V-07")
    void shouldDeliverWhatWasSentBeforeACloseThoughTheConnectionBreaksMeanwhile() throws IOException {
        // Far longer than a close takes; the last one waits for it if it is broken when the relay ends.
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(10));
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            // The first connection opens what stays open.
            close(connectThrough(relay), server());
            progressUntilIdle();
            Resources before = Resources.now();
            for (int round = 0; round < repetitions(40); round++) {
                relay.spare();
                Pair pair = connectThrough(relay);
                boolean byServer = round % 2 == 0;
                End from = byServer ? pair.server() : pair.client();
                End to = byServer ? pair.client() : pair.server();
                MemorySegment target = buffer(10_000);
                List<Long> received = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    received.add(to.receive(target, i));
                    from.send(pattern(10_000, i), i);
                }
                relay.cut(SEEN);
                from.endpoint().startClose();
                progressUntil(() -> isOver(pair, server()), "both ends to be closed");
                for (long id : received) {
                    assertEquals(Status.OK, to.recorder().outcome(id).status());
                }
                assertEquals(
                        EndpointState.CLOSED,
                        to.endpoint().state(),
                        () -> String.valueOf(to.endpoint().failure()));
            }
            relay.spare();
            progressUntil(() -> Resources.now().withinThoseOf(before), "all connections to be closed");
        }
    }

    @Test
    @Semantics("V-14")
    void shouldKeepNothingOfConnectionsThatBroke() throws IOException {
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            MemorySegment source = pattern(64, 1);
            MemorySegment target = buffer(64);
            AtomicInteger completions = new AtomicInteger();
            LiveObjects.assertNothingLeftOf(100, () -> {
                completions.set(0);
                long resumed = value(client(), Counter.FAILOVERS) + value(server(), Counter.FAILOVERS);
                relay.cut(List.of());
                // Not by the recorders, which keep every operation.
                assertTrue(pair.server().endpoint().receive(target, 1, _ -> completions.incrementAndGet()) > 0);
                assertTrue(pair.client().endpoint().send(source, 1, _ -> completions.incrementAndGet()) > 0);
                progressUntil(
                        () -> completions.get() == 2
                                && value(client(), Counter.FAILOVERS) + value(server(), Counter.FAILOVERS)
                                        >= resumed + 2,
                        "the message, over another connection");
            });
            close(pair, server());
        }
    }

    @Test
    @Semantics("V-20")
    void shouldCloseAWorkerWhileAConnectionIsBroken() throws IOException {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30));
        PeerThread server = newPeerThread("closing server");
        try (CuttingRelay relay = new CuttingRelay(server.address(), 1)) {
            Endpoint endpoint = client().connect(relay.address());
            progressUntil(
                    () -> endpoint.state() == EndpointState.CONNECTED
                            && server.call(side -> side.events().count(Event.Kind.CONNECTED)) == 1,
                    "both ends to be connected through the relay");
            End end = new End(client(), endpoint);
            // Some transports end the handshake later, with the first message at the latest.
            long first = end.receive(buffer(8), 99);
            server.run(side -> new End(side, side.events().lastConnected()).send(pattern(8, 1), 99));
            completeOk(end, first);
            progressUntilIdle();
            List<Long> received = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                received.add(end.receive(buffer(1000), i));
            }
            relay.pass(false);
            server.run(side -> {
                End from = new End(side, side.events().lastConnected());
                for (int i = 0; i < 10; i++) {
                    from.send(pattern(1000, i), i);
                }
            });
            CompletableFuture<Void> close = CompletableFuture.runAsync(server::close);
            int accepted = relay.accepted();
            progressUntil(() -> relay.accepted() > accepted + 1, "attempts to connect again");
            relay.pass(true);
            progressUntil(() -> client().events().ended(endpoint), "the client's end to be closed");
            assertEquals(EndpointState.CLOSED, endpoint.state(), () -> String.valueOf(endpoint.failure()));
            for (long id : received) {
                assertEquals(Status.OK, client().recorder().outcome(id).status());
            }
            progressUntil(close::isDone, "the server to be closed");
            close.join();
        }
    }

    @Test
    @Semantics({"V-02", "V-10"})
    void shouldWaitLongerThanAPeerMayBeSilent() throws IOException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(100));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofMillis(300));
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            relay.pass(false);
            long untilNs = System.nanoTime() + Duration.ofMillis(900).toNanos();
            progressUntil(() -> System.nanoTime() - untilNs > 0, "more time to pass than stall.timeout");
            assertConnected(pair);
            relay.pass(true);
            exchange(pair, 1);
            awaitResumed(server());
            assertEquals(1, client().events().count(Event.Kind.CONNECTED));
            assertEquals(1, server().events().count(Event.Kind.CONNECTED));
            close(pair, server());
        }
    }

    @Test
    @Semantics("V-08")
    void shouldCloseInTimeWhileThereIsNoConnection() throws IOException {
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            relay.pass(false);
            progressUntil(() -> relay.accepted() > 1, "an attempt to connect again");
            pair.client().endpoint().close();
            assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        }
    }

    @Test
    @Semantics({"V-03", "V-11"})
    void shouldFailWhenThereIsNoConnectionInTime() throws IOException {
        configure(ConfigKeys.FAILOVER_TIMEOUT, Duration.ofMillis(300));
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            long id = pair.client().receive(buffer(8), 1);
            relay.pass(false);
            awaitFailure(pair.client(), Reason.PEER_LOST, "failover.timeout=300 ms");
            awaitFailure(pair.server(), Reason.PEER_LOST, "failover.timeout=300 ms");
            assertEquals(Status.PEER_FAILED, client().recorder().outcome(id).status());
            assertEquals(1, value(client(), Counter.FAILOVERS_FAILED));
        }
    }

    @Test
    @Semantics({"V-03", "F-74"})
    void shouldNotCountTheTimeOfAStalledWorker() throws IOException {
        Duration limit = Duration.ofSeconds(4);
        configure(ConfigKeys.FAILOVER_TIMEOUT, limit);
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            relay.pass(false);
            progressUntil(() -> relay.accepted() > 1, "an attempt to connect again");
            long stalledUntilNs = System.nanoTime() + limit.plusSeconds(1).toNanos();
            while (System.nanoTime() - stalledUntilNs < 0) {
                LockSupport.parkNanos(stalledUntilNs - System.nanoTime());
            }
            relay.pass(true);
            exchange(pair, 1);
            close(pair, server());
        }
    }

    @Test
    @Semantics("V-04")
    void shouldFailAtOnceWhenAnotherIncarnationAnswers() throws IOException {
        Side other = newSide("other");
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            relay.target(other.listener().address());
            relay.cut(List.of());
            awaitFailure(pair.client(), Reason.PEER_LOST, "another incarnation");
            assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
            assertEquals(0, other.events().count(Event.Kind.CONNECTED));
        }
    }

    @Test
    @Semantics("V-04")
    void shouldFailAtOnceWhenThePeersEndpointHasEndedMeanwhile() throws IOException {
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            relay.pass(false);
            progressUntil(() -> relay.accepted() > 1, "an attempt to connect again");
            pair.server().endpoint().abort();
            relay.pass(true);
            awaitFailure(pair.client(), Reason.PEER_LOST, "its endpoint has ended");
        }
    }

    @Test
    @Semantics("V-05")
    void shouldFailAsBeforeUnlessBothSidesHaveItOn() throws IOException {
        for (boolean serverHasIt : new boolean[] {false, true}) {
            configure(ConfigKeys.FAILOVER, serverHasIt ? "on" : "off");
            Side listening = newSide("listening");
            configure(ConfigKeys.FAILOVER, serverHasIt ? "off" : "on");
            Side connecting = newSide("connecting");
            try (CuttingRelay relay = new CuttingRelay(listening.listener().address(), 1)) {
                Endpoint endpoint = connecting.connect(relay.address());
                progressUntil(
                        () -> listening.events().count(Event.Kind.CONNECTED) == 1
                                && endpoint.state() == EndpointState.CONNECTED,
                        "both ends to be connected");
                relay.cut(List.of());
                awaitFailure(new End(connecting, endpoint), Reason.PEER_LOST, "");
                awaitFailure(new End(listening, listening.events().lastConnected()), Reason.PEER_LOST, "");
            }
        }
    }

    @Test
    @Semantics("V-06")
    void shouldResumeForNobodyWhoOnlyRepeatsWhatWasSaid() throws IOException {
        try (CuttingRelay relay = new CuttingRelay(listener().address(), 1)) {
            Pair pair = connectThrough(relay);
            relay.cut(List.of());
            exchange(pair, 1);
            awaitResumed(server());
            long resumed = value(server(), Counter.FAILOVERS);
            byte[] said = relay.lastSaid();
            assertTrue(said.length >= RESUME_BYTES + PROOF_BYTES, "length=" + said.length);
            for (byte[] attempt : List.of(
                    Arrays.copyOf(said, RESUME_BYTES),
                    Arrays.copyOf(said, RESUME_BYTES + PROOF_BYTES),
                    forged(said, RESUME_BYTES + 20),
                    forged(said, 20),
                    forged(said, RESUME_BYTES + PROOF_BYTES - 1))) {
                try (Socket socket = new Socket()) {
                    socket.connect(listener().address());
                    socket.getOutputStream().write(attempt);
                    exchange(pair, attempt.length);
                }
            }
            assertEquals(resumed, value(server(), Counter.FAILOVERS));
            exchange(pair, 3);
            close(pair, server());
        }
    }

    private static byte[] forged(byte[] said, int at) {
        byte[] forged = Arrays.copyOf(said, RESUME_BYTES + PROOF_BYTES);
        forged[at] ^= 1;
        return forged;
    }

    private void awaitResumed(Side listening) {
        progressUntil(
                () -> value(client(), Counter.FAILOVERS) > 0 && value(listening, Counter.FAILOVERS) > 0,
                "both sides to go on over another connection");
    }

    /** Sends a message each way. */
    private void exchange(Pair pair, long seed) {
        for (boolean back : new boolean[] {false, true}) {
            End from = back ? pair.server() : pair.client();
            End to = back ? pair.client() : pair.server();
            MemorySegment target = buffer(5_000);
            long received = to.receive(target, seed);
            completeOk(from, from.send(pattern(5_000, seed), seed));
            completeOk(to, received);
            Pattern.verify(target, 0, 5_000, seed);
        }
    }

    private void awaitFailure(End end, Reason reason, String words) {
        progressUntil(
                () -> end.events().ended(end.endpoint()),
                "the failure of " + end.side().name());
        FairleadException failure = end.endpoint().failure().orElseThrow();
        assertEquals(reason, failure.reason(), failure::getMessage);
        assertMentions(words, failure);
    }

    private boolean isOver(Pair pair, Side listening) {
        return client().events().ended(pair.client().endpoint())
                && listening.events().ended(pair.server().endpoint());
    }

    private void close(Pair pair, Side listening) {
        pair.client().endpoint().startClose();
        progressUntil(() -> isOver(pair, listening), "both ends to be closed");
        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        assertEquals(EndpointState.CLOSED, pair.server().endpoint().state());
        // Their connection outlives them for a moment, and a side that is closed then waits for the other one.
        progressUntilIdle();
    }

    private NumberedTraffic traffic(End from, End to, long seed) {
        return new NumberedTraffic(
                this::buffer,
                from,
                to,
                to.side().context().allocate(NumberedTraffic.REGION_LENGTH, EnumSet.allOf(AccessRight.class)),
                seed);
    }

    private Pair connectThrough(CuttingRelay relay) {
        int connected = server().events().count(Event.Kind.CONNECTED);
        return awaitBoth(client().connect(relay.address()), connected);
    }

    /** The server has had so many connections before. */
    private Pair awaitBoth(Endpoint endpoint, int connected) {
        progressUntil(
                () -> endpoint.state() != EndpointState.CONNECTING
                        && server().events().count(Event.Kind.CONNECTED) > connected,
                "both ends to be connected through the relay");
        return new Pair(new End(server(), server().events().lastConnected()), new End(client(), endpoint));
    }

    private static boolean isEnded(Pair pair) {
        return pair.client().endpoint().state() != EndpointState.CONNECTED
                || pair.server().endpoint().state() != EndpointState.CONNECTED;
    }

    private static void assertConnected(Pair pair) {
        for (End end : List.of(pair.client(), pair.server())) {
            assertEquals(
                    EndpointState.CONNECTED,
                    end.endpoint().state(),
                    () -> end.endpoint().failure().toString());
        }
    }

    private static long value(Side side, Counter counter) {
        return side.worker().counters().value(counter);
    }
}
