package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.internal.RawPeer;
import io.fairlead.testkit.internal.Relay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How a listener and a connector treat a peer that breaks the rules of the handshake. The peer is a plain socket here; the valid messages that it
 * sends are recorded from a real handshake.
 */
public class HandshakeContract extends TransportContract {
    private static final int HEADER_LENGTH = 12;
    private static final int LENGTH_FIELD = 8;
    private static final int SILENT = 600;
    private static final long OPEN_EVERY_NS = 50_000_000;
    private static final int VERSIONS_FIELD = HEADER_LENGTH;
    private static final int VICTIMS = 6;
    private static final int ATTEMPTS = 2;

    /** Creates the suite. */
    protected HandshakeContract() {}

    @Test
    @Semantics("C-30")
    void shouldDropAPeerThatSpeaksSomethingElse() throws IOException {
        assertDropped("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    @Semantics("C-31")
    void shouldDropAMessageOfAnImpossibleLength() throws IOException {
        byte[] hello = overhearHello();
        ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN).putInt(LENGTH_FIELD, Integer.MAX_VALUE);
        assertDropped(Arrays.copyOf(hello, HEADER_LENGTH));
    }

    @Test
    @Semantics("C-31")
    void shouldDropAMessageOfNegativeLength() throws IOException {
        byte[] hello = overhearHello();
        ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN).putInt(LENGTH_FIELD, -1);
        assertDropped(Arrays.copyOf(hello, HEADER_LENGTH));
    }

    @Test
    @Semantics("C-32")
    void shouldDropAHelloWithDamagedFields() throws IOException {
        byte[] hello = overhearHello();
        Arrays.fill(hello, HEADER_LENGTH + 4, hello.length, (byte) 0xFF);
        assertDropped(hello);
    }

    @Test
    @Semantics("C-32")
    void shouldDropAHelloThatIsCutShortByItsOwnLength() throws IOException {
        byte[] hello = overhearHello();
        int body = hello.length - HEADER_LENGTH;
        ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN).putInt(LENGTH_FIELD, body - 1);
        assertDropped(Arrays.copyOf(hello, hello.length - 1));
    }

    @Test
    @Semantics("C-33")
    void shouldForgetAPeerThatHangsUpInTheMiddleOfAHello() throws IOException {
        byte[] hello = overhearHello();
        try (RawPeer peer = RawPeer.connect(listener().address())) {
            peer.write(Arrays.copyOf(hello, hello.length / 2));
            progressUntilIdle();
        }
        progressUntilIdle();
        assertUndisturbed();
    }

    @Test
    @Semantics("C-34")
    void shouldDropAPeerThatTakesTooLongForItsHello() throws IOException {
        byte[] hello = overhearHello();
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(1));
        try (RawPeer slow = closeLater(RawPeer.connect(listener().address()))) {
            int[] sent = {0};
            progressUntil(
                    () -> {
                        // A byte now and then, so that the connection is never silent and the hello never complete.
                        if (sent[0] < hello.length - 1) {
                            slow.writeIfOpen(hello[sent[0]++]);
                        }
                        return slow.isAtEnd();
                    },
                    "the listener to lose patience");
        }
        // The peer that comes now has patience, however busy the machine is.
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(30));
        assertUndisturbed();
    }

    @Test
    @Semantics("C-45")
    void shouldDropAPeerWhoseHelloIsNotWholeInItsTime() throws IOException {
        byte[] hello = overhearHello();
        configure(ConfigKeys.HELLO_TIMEOUT, Duration.ofMillis(500));
        try (RawPeer silent = RawPeer.connect(listener().address());
                RawPeer dawdler = RawPeer.connect(listener().address())) {
            int[] sent = {0};
            progressUntil(
                    () -> {
                        if (sent[0] < hello.length - 1) {
                            dawdler.writeIfOpen(hello[sent[0]++]);
                        }
                        return silent.isAtEnd() && dawdler.isAtEnd();
                    },
                    "the listener to lose patience long before connect.timeout");
        }
        assertUndisturbed();
    }

    @Test
    @Semantics("C-46")
    void shouldAcceptAPeerBehindHundredsThatSayNothing() throws IOException {
        byte[] hello = overhearHello();
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(30));
        configure(ConfigKeys.HELLO_TIMEOUT, Duration.ofSeconds(2));
        configure(ConfigKeys.PENDING_MAX, 64);
        InetSocketAddress address = listener().address();
        List<RawPeer> silent = new ArrayList<>();
        for (int i = 0; i < SILENT; i++) {
            silent.add(closeLater(RawPeer.begin(address)));
        }
        Endpoint endpoint = client().connect(server());
        progressUntil(
                () -> {
                    for (int i = 0; i < SILENT; i++) {
                        RawPeer peer = silent.get(i);
                        if (peer.isAtEnd()) {
                            // Whoever is hung up on comes again.
                            peer.close();
                            silent.set(i, open(address));
                        } else if (i % 2 == 0) {
                            peer.writeIfOpen(hello[0]);
                        }
                    }
                    return endpoint.state() != EndpointState.CONNECTING;
                },
                "a good peer to get through");
        assertEquals(EndpointState.CONNECTED, endpoint.state(), () -> "not connected: " + endpoint.failure());
    }

    @Test
    @Semantics("C-46")
    void shouldKeepTheOnlyConnectionOfAnAddressWhileOthersFlood() throws IOException {
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(60));
        configure(ConfigKeys.HELLO_TIMEOUT, Duration.ofSeconds(60));
        configure(ConfigKeys.PENDING_MAX, 16);
        InetSocketAddress address = listener().address();
        RawPeer alone = closeLater(RawPeer.begin(address));
        progressUntil(() -> !alone.isAtEnd() && alone.isConnected(), "the first peer to be there");
        // No address has more than its share: the first would go if age alone decided.
        List<RawPeer> flood = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            flood.add(closeLater(RawPeer.begin(InetAddress.ofLiteral("127.0.0." + (5 + i % 4)), address)));
        }
        progressUntil(
                () -> flood.stream().filter(RawPeer::isAtEnd).count() >= flood.size() - 15,
                "all of the flood to be hung up on but for the places that are left");
        assertFalse(alone.isAtEnd(), "the only peer of an address was hung up on");
        connect();
    }

    @Test
    @Semantics("C-47")
    void shouldHangUpOnTheOldestOfAnAddressWithMoreThanItsShare() throws IOException {
        configure(ConfigKeys.HELLO_TIMEOUT, Duration.ofSeconds(8));
        configure(ConfigKeys.PENDING_PER_SOURCE_MAX, 2);
        InetSocketAddress address = listener().address();
        List<RawPeer> silent = new ArrayList<>();
        long[] openedNs = {System.nanoTime() - OPEN_EVERY_NS};
        progressUntil(
                () -> {
                    // Each that comes is one too many as soon as the first has had its moment.
                    if (System.nanoTime() - openedNs[0] >= OPEN_EVERY_NS) {
                        silent.add(open(address));
                        openedNs[0] = System.nanoTime();
                    }
                    return silent.getFirst().isAtEnd();
                },
                "the oldest to be hung up on");
        assertFalse(silent.getLast().isAtEnd(), "the youngest was hung up on");
        connect();
    }

    @Test
    @Semantics("C-35")
    void shouldAcceptOthersWhileAPeerDawdles() throws IOException {
        byte[] hello = overhearHello();
        try (RawPeer slow = RawPeer.connect(listener().address())) {
            slow.write(Arrays.copyOf(hello, hello.length - 1));
            connect();
        }
    }

    @Test
    @Semantics("C-36")
    void shouldRefuseAPeerWithoutACommonVersion() throws IOException {
        byte[] refusal = overhearRefusal();
        // The refusal is a proper message: a real connector understands it.
        try (RawListener fake = new RawListener()) {
            Endpoint endpoint = client().connect(fake.address());
            try (RawPeer accepted = acceptHello(fake)) {
                accepted.write(refusal);
                progressUntil(() -> client().events().ended(endpoint), "the connector to read its refusal");
            }
            FairleadException failure = endpoint.failure().orElseThrow();
            assertEquals(Reason.VERSION_MISMATCH, failure.reason());
            assertMentions("version", failure);
        }
        assertEquals(0, server().events().all().size(), "an endpoint was made for a refused peer");
    }

    @Test
    @Semantics("C-37")
    void shouldDropASecondHelloOnOneConnection() throws IOException {
        byte[] hello = overhearHello();
        try (RawPeer peer = RawPeer.connect(listener().address())) {
            peer.write(hello);
            peer.write(hello);
            progressUntil(peer::isAtEnd, "the listener to hang up");
        }
        progressUntilIdle();
        assertEquals(0, server().events().count(Event.Kind.CONNECTED));
        connect();
    }

    @Test
    @Semantics("C-38")
    void shouldNotDisturbAnEndpointByAReplayOfItsHello() throws IOException {
        byte[] hello;
        Endpoint endpoint;
        try (Relay relay = new Relay(listener().address())) {
            endpoint = client().connect(relay.address());
            progressUntil(() -> server().events().count(Event.Kind.CONNECTED) == 1, "the server to be connected");
            progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, "the client to be connected");
            hello = relay.firstMessage(HEADER_LENGTH, LENGTH_FIELD);
            End server = new End(server(), server().events().lastConnected());
            try (RawPeer replay = RawPeer.connect(listener().address())) {
                replay.write(hello);
                progressUntilIdle();
            }
            progressUntilIdle();
            MemorySegment target = buffer(16);
            long received = server.receive(target, 8);
            new End(client(), endpoint).send(pattern(16, 8), 8);
            completeOk(server, received);
            Pattern.verify(target, 0, 16, 8);
            endpoint.close();
        }
    }

    @Test
    @Semantics("C-50")
    void shouldNotDisturbAnEndpointByAReplayOfItsWholeHandshake() throws IOException {
        // Which of two workers speaks first is up to chance over some transports.
        for (int victim = 0; victim < VICTIMS; victim++) {
            try (Overheard overheard = new Overheard(newSide("victim-" + victim), newSide("listener-" + victim))) {
                byte[] hello = overheard.said(Relay.Direction.TO_LISTENER, 0);
                byte[] ready = overheard.said(Relay.Direction.TO_LISTENER, 1);
                for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                    try (RawPeer replay = overheard.stranger()) {
                        replay.write(hello);
                        readMessage(replay);
                        replay.write(ready);
                        progressUntilIdle();
                        overheard.exchange(attempt);
                    }
                }
                overheard.exchange(ATTEMPTS);
            }
        }
    }

    @Test
    @Semantics("C-50")
    void shouldServeAPeerWhoseHandshakeIsReplayedMeanwhile() throws IOException {
        try (Overheard overheard = new Overheard(client(), server());
                RawPeer replay = overheard.stranger()) {
            replay.write(overheard.said(Relay.Direction.TO_LISTENER, 0));
            readMessage(replay);
            replay.write(overheard.said(Relay.Direction.TO_LISTENER, 1));
            connect();
            overheard.exchange(0);
        }
    }

    @Test
    @Semantics("C-51")
    void shouldNotDisturbAnEndpointByAReplayOfItsWelcome() throws IOException {
        for (int victim = 0; victim < VICTIMS; victim++) {
            try (Overheard overheard = new Overheard(newSide("victim-" + victim), newSide("listener-" + victim));
                    RawListener fake = new RawListener()) {
                byte[] welcome = overheard.said(Relay.Direction.TO_CONNECTOR, 0);
                Endpoint deceived = newSide("deceived-" + victim).connect(fake.address());
                try (RawPeer accepted = acceptHello(fake)) {
                    accepted.write(welcome);
                    progressUntilIdle();
                    overheard.exchange(0);
                }
                deceived.abort();
                overheard.exchange(1);
            }
        }
    }

    /** A connection whose bytes are all recorded. */
    private final class Overheard implements AutoCloseable {
        private final Side listener;
        private final Relay relay;
        private final Endpoint endpoint;
        private final End connector;
        private final End listening;

        Overheard(Side side, Side listener) throws IOException {
            this.listener = listener;
            relay = new Relay(listener.listener().address());
            int accepted = listener.events().count(Event.Kind.CONNECTED);
            endpoint = side.connect(relay.address());
            progressUntil(
                    () -> listener.events().count(Event.Kind.CONNECTED) > accepted, "the listener to be connected");
            progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, "the connector to be connected");
            connector = new End(side, endpoint);
            listening = new End(listener, listener.events().lastConnected());
        }

        /** Somebody else who connects to the listener. */
        RawPeer stranger() throws IOException {
            return RawPeer.connect(listener.listener().address());
        }

        byte[] said(Relay.Direction direction, int number) {
            return relay.message(direction, number, HEADER_LENGTH, LENGTH_FIELD);
        }

        /** A message each way, by one endpoint and no other. */
        void exchange(int tag) {
            pass(connector, listening, tag);
            pass(listening, connector, tag);
        }

        private void pass(End from, End to, int tag) {
            MemorySegment target = buffer(16);
            long received = to.receive(target, tag);
            completeOk(from, from.send(pattern(16, tag), tag));
            completeOk(to, received);
            Pattern.verify(target, 0, 16, tag);
        }

        @Override
        public void close() {
            endpoint.close();
            progressUntil(() -> connector.side().events().ended(endpoint), "the endpoint to be closed");
            relay.close();
        }
    }

    @Test
    @Semantics("C-39")
    void shouldGiveUpAListenerThatNeverAnswers() throws IOException {
        configure(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(1));
        try (RawListener silent = new RawListener()) {
            Endpoint endpoint = client().connect(silent.address());
            progressUntil(() -> client().events().ended(endpoint), "connect.timeout to pass");
            FairleadException failure = endpoint.failure().orElseThrow();
            assertEquals(Reason.TIMED_OUT, failure.reason());
            assertMentions("connect.timeout", failure);
            assertMentions("too busy", failure);
        }
    }

    @Test
    @Semantics("C-40")
    void shouldFailOnAListenerThatSpeaksSomethingElse() throws IOException {
        try (RawListener fake = new RawListener()) {
            Endpoint endpoint = client().connect(fake.address());
            try (RawPeer accepted = acceptHello(fake)) {
                accepted.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                progressUntil(() -> client().events().ended(endpoint), "the connector to see that");
            }
            assertEquals(
                    Reason.PROTOCOL_VIOLATION, endpoint.failure().orElseThrow().reason());
        }
    }

    @Test
    @Semantics("C-41")
    void shouldFailOnAListenerThatHangsUp() throws IOException {
        try (RawListener fake = new RawListener()) {
            Endpoint endpoint = client().connect(fake.address());
            acceptHello(fake).close();
            progressUntil(() -> client().events().ended(endpoint), "the connector to see that");
            assertEquals(Reason.PEER_LOST, endpoint.failure().orElseThrow().reason());
        }
    }

    private void assertDropped(byte[] bytes) throws IOException {
        try (RawPeer peer = RawPeer.connect(listener().address())) {
            peer.write(bytes);
            progressUntil(peer::isAtEnd, "the listener to hang up");
        }
        assertUndisturbed();
    }

    /** No handler was notified of the peer, and the next one is served. */
    private void assertUndisturbed() {
        assertEquals(0, server().events().all().size(), "an endpoint was made for a peer that never said hello");
        connect();
    }

    /** The first message of a real connector. */
    private byte[] overhearHello() throws IOException {
        Side speaker = newSide("speaker");
        try (RawListener fake = new RawListener()) {
            Endpoint endpoint = speaker.connect(fake.address());
            try (RawPeer accepted = acceptPeer(fake)) {
                byte[] hello = readMessage(accepted);
                endpoint.close();
                return hello;
            }
        }
    }

    /** What a real listener answers to a hello of versions that it does not speak. */
    private byte[] overhearRefusal() throws IOException {
        byte[] hello = overhearHello();
        ByteBuffer.wrap(hello)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort(VERSIONS_FIELD, (short) 65_000)
                .putShort(VERSIONS_FIELD + 2, (short) 65_001);
        try (RawPeer peer = RawPeer.connect(listener().address())) {
            peer.write(hello);
            byte[] refusal = readMessage(peer);
            progressUntil(peer::isAtEnd, "the listener to hang up behind its refusal");
            return refusal;
        }
    }

    private RawPeer open(InetSocketAddress address) {
        try {
            return closeLater(RawPeer.begin(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RawPeer acceptPeer(RawListener fake) {
        RawPeer[] accepted = new RawPeer[1];
        progressUntil(
                () -> {
                    accepted[0] = fake.poll();
                    return accepted[0] != null;
                },
                "the connector to connect");
        return accepted[0];
    }

    private RawPeer acceptHello(RawListener fake) {
        RawPeer accepted = acceptPeer(fake);
        readMessage(accepted);
        return accepted;
    }

    private byte[] readMessage(RawPeer peer) {
        byte[] header = read(peer, HEADER_LENGTH);
        int body = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(LENGTH_FIELD);
        byte[] message = Arrays.copyOf(header, HEADER_LENGTH + body);
        System.arraycopy(read(peer, body), 0, message, HEADER_LENGTH, body);
        return message;
    }

    private byte[] read(RawPeer peer, int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        progressUntil(() -> peer.read(bytes) || !bytes.hasRemaining(), length + " bytes of the other side");
        assertEquals(0, bytes.remaining(), "the other side hung up");
        return bytes.array();
    }
}
