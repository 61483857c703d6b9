package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Worker;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.OperationKind;
import io.fairlead.testkit.contract.End;
import io.fairlead.testkit.contract.Event;
import io.fairlead.testkit.contract.Outcome;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Message contexts of nodes: they reach peers that know them, with the right message, and cost nothing when there is none. */
public class NodeContextContract extends NodeCases {
    private static final long FULL = Worker.FULL_TAG_MASK;
    /** The tag of frames with contexts. */
    private static final long FRAME_TAG = 0x9E37_79B9_7F4AL;

    /** The feature, sent in the handshake, of a node that may be sent such frames. */
    private static final int KNOWS_FRAMES = 1;

    /** Creates the suite. */
    protected NodeContextContract() {}

    /** Gives every send a number. */
    private static final class Numbering implements NodeObserver {
        private final AtomicInteger sends = new AtomicInteger();

        @Override
        public Running started(OperationKind operation, Optional<Peer> peer, long length) {
            MessageContext context =
                    operation == OperationKind.SEND ? numbered(sends.getAndIncrement()) : MessageContext.EMPTY;
            return new Running() {
                @Override
                public void ended(Optional<Throwable> failure) {}

                @Override
                public MessageContext context() {
                    return context;
                }
            };
        }
    }

    private static MessageContext numbered(int number) {
        return MessageContext.of(Map.of("number", Integer.toString(number)));
    }

    @Test
    @Semantics("O-70")
    void shouldBringContextsWithMessagesOfAnyLength() {
        Peers peers = connectNodes();
        clientNode().observe(new Numbering());
        int number = 0;
        for (long length : new long[] {0, 1, 8, 4096, 65_537, 1 << 20, (16 << 20) + 3}) {
            CompletableFuture<Message> expected = peers.server().receive(7, FULL, length);
            CompletableFuture<Void> first = peers.client().send(pattern(length, length), 7);
            try (Message message = get(expected)) {
                assertEquals(numbered(number++), message.context());
                assertEquals(length, message.length());
                Pattern.verify(message.segment(), 0, length, length);
            }
            get(first);
            MemorySegment buffer = buffer(length + 8);
            CompletableFuture<Void> second = peers.client().sendSynchronous(pattern(length, 3), 7);
            Message message = get(peers.server().receiveInto(buffer, 7, FULL));
            assertEquals(numbered(number++), message.context());
            Pattern.verify(buffer, 0, length, 3);
            get(second);
        }
    }

    @Test
    @Semantics("O-70")
    void shouldBringEachMessageItsOwnContext() {
        Peers peers = connectNodes();
        Numbering numbering = new Numbering();
        int count = 3000;
        List<CompletableFuture<Message>> received = new ArrayList<>();
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // Every third message goes without, so that none may keep the one of its neighbour.
            clientNode().observe(i % 3 == 2 ? NodeObserver.NONE : numbering);
            sent.add(peers.client().send(bytes(i), 5));
            if (i % 2 == 0) {
                received.add(peers.server().receive(5));
            }
        }
        while (received.size() < count) {
            received.add(peers.server().receive(5));
        }
        int number = 0;
        for (int i = 0; i < count; i++) {
            Message message = get(received.get(i));
            assertArrayEquals(bytes(i), message.bytes());
            assertEquals(i % 3 == 2 ? MessageContext.EMPTY : numbered(number++), message.context());
        }
        sent.forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-70")
    void shouldBringContextsThatArriveTogetherWithTheEnd() {
        for (int round = 0; round < 20; round++) {
            Peers peers = connectNodes();
            clientNode().observe(new Numbering());
            CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
            for (int i = 0; i < 5; i++) {
                sent = peers.client().send(bytes(i), 5);
            }
            get(sent);
            CompletableFuture<Message> first = peers.server().receive(5);
            peers.client().close();
            assertEquals(numbered(0), get(first).context());
            for (int i = 1; i < 5; i++) {
                assertEquals(numbered(i), get(peers.server().receive(5)).context());
            }
            assertEquals(Reason.CLOSED, failureOf(peers.server().receive(5)).reason());
        }
    }

    @Test
    @Semantics("O-71")
    void shouldMatchAndTruncateAsWithoutContexts() {
        configureFewCredits();
        Peers peers = connectNodes();
        clientNode().observe(new Numbering());
        CompletableFuture<Message> any = serverNode().receive(0, 0, 100);
        CompletableFuture<Message> exact = peers.server().receive(6);
        CompletableFuture<Message> small = peers.server().receive(5, FULL, 1);
        CompletableFuture<Message> into = peers.server().receiveInto(buffer(2), 5, FULL);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (long tag : new long[] {5, 5, 5, 6}) {
            sent.add(peers.client().send(pattern(100, 1), tag));
        }
        assertEquals(numbered(0), get(any).context());
        for (CompletableFuture<Message> truncated : List.of(small, into)) {
            FairleadException failure = failureOf(truncated);
            assertEquals(Reason.TRUNCATED, failure.reason());
            assertMentions("length=100", failure);
        }
        assertEquals(numbered(3), get(exact).context());
        for (int i = 0; i < 200; i++) {
            sent.add(peers.client().send(pattern(900, i), 8));
        }
        for (int i = 0; i < 200; i++) {
            try (Message message = get(peers.server().receive(8))) {
                Pattern.verify(message.segment(), 0, 900, i);
                assertEquals(numbered(4 + i), message.context());
            }
        }
        sent.forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-72")
    void shouldCarryMessagesWithTheTagOfFrames() {
        Peers peers = connectNodes();
        Numbering numbering = new Numbering();
        int count = 60;
        List<CompletableFuture<Message>> received = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            received.add(peers.server().receive(0, 0, 100));
        }
        for (int i = 0; i < count; i++) {
            clientNode().observe(i % 4 < 2 ? NodeObserver.NONE : numbering);
            get(peers.client().send(bytes(i), i % 3 == 0 ? 9 : FRAME_TAG));
        }
        int number = 0;
        for (int i = 0; i < count; i++) {
            Message message = get(received.get(i));
            assertArrayEquals(bytes(i), message.bytes());
            assertEquals(i % 3 == 0 ? 9 : FRAME_TAG, message.tag());
            assertEquals(i % 4 < 2 ? MessageContext.EMPTY : numbered(number++), message.context());
        }
    }

    @Test
    @Semantics("O-73")
    void shouldSendNoContextToPeersThatAreNoNodes() {
        clientNode().observe(new Numbering());
        Peer toRaw = connectToRaw();
        List<Long> lengths = sendToRaw(toRaw, 3);
        assertEquals(List.of(3L), lengths);
    }

    @Test
    @Semantics("O-73")
    void shouldTakeWhatOthersSendWithTheTagOfFramesForMessages() {
        Endpoint raw = connectFromRaw(0);
        CompletableFuture<Message> received = nextAccepted().receive(FRAME_TAG);
        new End(client(), raw).send(segment(new byte[] {1, 2, 3}), FRAME_TAG);
        progressUntil(received::isDone, "the message");
        assertArrayEquals(new byte[] {1, 2, 3}, get(received).bytes());
    }

    @Test
    @Semantics("O-74")
    void shouldSendTheSameMessagesWithoutContexts() {
        server().events().features(KNOWS_FRAMES);
        Peer toRaw = connectToRaw();
        assertEquals(List.of(3L), sendToRaw(toRaw, 3));
        clientNode().observe((operation, peer, length) -> failure -> {});
        assertEquals(List.of(3L), sendToRaw(toRaw, 3), "an observer that carries nothing");
        clientNode().observe(new Numbering());
        int frame = 1 + numbered(0).encode().length;
        assertEquals(List.of((long) frame, 3L), sendToRaw(toRaw, 3));
        clientNode().observe(NodeObserver.NONE);
        assertEquals(List.of(3L), sendToRaw(toRaw, 3));
        assertEquals(5, clientNode().context().statistics().value(Counter.MESSAGES_SENT), "four messages, one frame");
    }

    @Test
    @Semantics("O-75")
    void shouldEndTheConnectionOfAPeerThatSendsMalformedFrames() {
        Peers others = connectNodes();
        for (byte[] malformed : List.of(
                new byte[0],
                new byte[1],
                new byte[5000],
                new byte[] {2, 0},
                new byte[] {0, 1},
                new byte[] {0, 33},
                new byte[] {0, 1, 1, 'a'},
                new byte[] {0, 1, 0, 1, 0, 'v'},
                new byte[] {0, 1, 1, ' ', 1, 0, 'v'},
                new byte[] {0, 1, 1, 'a', 1, 0, 7},
                new byte[] {0, 1, 1, 'a', 1, 0, (byte) 0xFF},
                new byte[] {0, 1, 1, 'a', 2, 0, 'v'},
                new byte[] {0, 0, 0},
                new byte[] {0, 2, 1, 'a', 1, 0, 'v', 1, 'a', 1, 0, 'v'})) {
            Endpoint raw = connectFromRaw(KNOWS_FRAMES);
            Peer victim = nextAccepted();
            CompletableFuture<Message> received = victim.receive(5);
            new End(client(), raw).send(segment(malformed), FRAME_TAG);
            progressUntil(received::isDone, "the end of the receive");
            FairleadException failure = failureOf(received);
            assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason());
            assertMentions("context is malformed: ", failure);
            assertEquals(
                    Reason.PROTOCOL_VIOLATION, victim.failure().orElseThrow().reason());
            progressUntil(() -> client().events().ended(raw), "the end of the connection");
        }
        CompletableFuture<Message> unharmed = others.server().receive(1);
        get(others.client().send(bytes(1), 1));
        assertArrayEquals(bytes(1), get(unharmed).bytes());
    }

    private Peer connectToRaw() {
        CompletableFuture<Peer> connected =
                clientNode().connect(server().listener().address());
        progressUntil(() -> connected.isDone() && server().events().count(Event.Kind.CONNECTED) == 1, "the connection");
        return get(connected);
    }

    private Endpoint connectFromRaw(int features) {
        client().events().features(features);
        Endpoint endpoint = client().connect(address());
        progressUntil(
                () -> endpoint.path().isPresent() && client().events().peerFeatures(endpoint) >= 0, "the connection");
        assertEquals(KNOWS_FRAMES, client().events().peerFeatures(endpoint) & KNOWS_FRAMES);
        return endpoint;
    }

    /** Sends one message, and returns the lengths of all frames that arrive because of it; the last is the message. */
    private List<Long> sendToRaw(Peer toRaw, int length) {
        CompletableFuture<Void> sent = toRaw.send(pattern(length, 4), 5);
        List<Long> lengths = new ArrayList<>();
        End end = new End(server(), server().events().lastConnected());
        long tag;
        do {
            MemorySegment buffer = buffer(5000);
            Outcome outcome = completeOk(end, end.receive(buffer, 0, 0));
            lengths.add(outcome.length());
            tag = outcome.tag();
        } while (tag == FRAME_TAG);
        assertEquals(5, tag);
        progressUntil(sent::isDone, "the send");
        get(sent);
        progressUntilIdle();
        assertFalse(end.worker().probe(0, 0, end.worker().newMessageInfo()), "nothing behind the message");
        return lengths;
    }

    private MemorySegment segment(byte[] bytes) {
        MemorySegment segment = buffer(bytes.length);
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return segment;
    }

    private static byte[] bytes(int value) {
        return new byte[] {(byte) value, (byte) (value >> 8), 3};
    }
}
