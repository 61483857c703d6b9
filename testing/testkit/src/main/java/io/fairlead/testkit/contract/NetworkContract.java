package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.internal.Relay;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Connections over a network that resets them, goes dead or delivers garbage. */
public class NetworkContract extends TransportContract {
    private static final long SENDS_NS = 10_000_000;

    private long sentNs = System.nanoTime();

    /** Creates the suite. */
    protected NetworkContract() {}

    @Test
    @Semantics("F-40")
    void shouldLoseThePeerWhenTheNetworkResetsTheConnection() throws IOException, InterruptedException {
        try (Relay relay = new Relay(listener().address())) {
            Pair pair = connectThrough(relay);
            long id = pair.client().receive(buffer(8), 1);
            relay.cut();
            awaitBothEnds(pair);
            assertEquals(Status.PEER_FAILED, client().recorder().outcome(id).status());
            assertReason(Reason.PEER_LOST, pair.client().endpoint());
            assertReason(Reason.PEER_LOST, pair.server().endpoint());
        }
    }

    @Test
    @Semantics("F-14")
    void shouldGiveUpAPeerBehindANetworkThatTakesAllAndBringsNothing() throws IOException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(500));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofSeconds(1));
        try (Relay relay = new Relay(listener().address())) {
            Pair pair = connectThrough(relay);
            long id = pair.client().receive(buffer(8), 1);
            relay.freeze();
            awaitBothEnds(pair);
            assertEquals(Status.PEER_FAILED, client().recorder().outcome(id).status());
            assertReason(Reason.PEER_SILENT, pair.client().endpoint());
        }
    }

    @Test
    @Semantics({"F-14", "F-41"})
    void shouldGiveUpAPeerWhoseControlConnectionIsCutThoughDataArrives() throws IOException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(500));
        configure(ConfigKeys.STALL_TIMEOUT, Duration.ofSeconds(1));
        try (Relay relay = new Relay(listener().address())) {
            Pair pair = connectThrough(relay);
            relay.freeze();
            MemorySegment message = pattern(8, 1);
            progressUntil(
                    () -> {
                        sendNowAndThen(pair, message);
                        return client().events().ended(pair.client().endpoint())
                                && server().events().ended(pair.server().endpoint());
                    },
                    "both ends to notice");
            assertReason(Reason.PEER_SILENT, pair.client().endpoint());
        }
    }

    /** Sends so seldom that the credits last. */
    private void sendNowAndThen(Pair pair, MemorySegment message) {
        if (System.nanoTime() - sentNs >= SENDS_NS) {
            sentNs = System.nanoTime();
            trySend(pair.client(), message);
            trySend(pair.server(), message);
        }
    }

    private static void trySend(End from, MemorySegment message) {
        long id = from.endpoint().send(message, 0, message.byteSize(), 1, from.recorder(), 0);
        if (id > 0) {
            from.posted(id);
        }
    }

    @Test
    @Semantics("F-42")
    void shouldFailOnGarbageFromTheListenersSide() throws IOException {
        try (Relay relay = new Relay(listener().address())) {
            Pair pair = connectThrough(relay);
            relay.inject(Relay.Direction.TO_CONNECTOR, garbage());
            progressUntil(() -> client().events().ended(pair.client().endpoint()), "the connector to see garbage");
            assertReason(Reason.PROTOCOL_VIOLATION, pair.client().endpoint());
        }
    }

    @Test
    @Semantics("F-42")
    void shouldFailOnGarbageFromTheConnectorsSide() throws IOException {
        try (Relay relay = new Relay(listener().address())) {
            Pair pair = connectThrough(relay);
            relay.inject(Relay.Direction.TO_LISTENER, garbage());
            progressUntil(() -> server().events().ended(pair.server().endpoint()), "the listener to see garbage");
            assertReason(Reason.PROTOCOL_VIOLATION, pair.server().endpoint());
        }
    }

    @Test
    @Semantics("F-43")
    void shouldKeepOtherConnectionsWhenOneBreaks() throws IOException, InterruptedException {
        Pair direct = connect();
        try (Relay relay = new Relay(listener().address())) {
            Pair pair = connectThrough(relay);
            relay.cut();
            awaitBothEnds(pair);
        }
        MemorySegment target = buffer(16);
        long received = direct.server().receive(target, 1);
        direct.client().send(pattern(16, 1), 1);
        completeOk(direct.server(), received);
        Pattern.verify(target, 0, 16, 1);
    }

    @Test
    @Semantics("F-44")
    void shouldCloseThroughADeadNetwork() throws IOException {
        try (Relay relay = new Relay(listener().address())) {
            Pair pair = connectThrough(relay);
            relay.freeze();
            pair.client().endpoint().close();
            assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
            assertTrue(client().events().ended(pair.client().endpoint()));
        }
    }

    private Pair connectThrough(Relay relay) {
        int accepted = server().events().count(Event.Kind.CONNECTED);
        Endpoint endpoint = client().connect(relay.address());
        progressUntil(
                () -> endpoint.state() != EndpointState.CONNECTING
                        && server().events().count(Event.Kind.CONNECTED) > accepted,
                "both ends to be connected through the relay");
        assertEquals(
                EndpointState.CONNECTED,
                endpoint.state(),
                () -> endpoint.failure().toString());
        return new Pair(new End(server(), server().events().lastConnected()), new End(client(), endpoint));
    }

    private void awaitBothEnds(Pair pair) {
        progressUntil(
                () -> client().events().ended(pair.client().endpoint())
                        && server().events().ended(pair.server().endpoint()),
                "both ends to notice");
    }

    private static void assertReason(Reason expected, Endpoint endpoint) {
        assertEquals(
                expected,
                endpoint.failure().orElseThrow().reason(),
                () -> endpoint.failure().toString());
    }

    private static byte[] garbage() {
        byte[] garbage = new byte[64];
        Arrays.fill(garbage, (byte) 0xEE);
        return garbage;
    }
}
