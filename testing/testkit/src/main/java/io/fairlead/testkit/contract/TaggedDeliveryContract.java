package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Delivery of tagged messages, and what their completions report: source, tag, length. */
public class TaggedDeliveryContract extends TaggedCases {
    private static final byte UNTOUCHED = 0x55;

    /** Creates the suite of one case; JUnit does. */
    protected TaggedDeliveryContract() {}

    @Test
    @Semantics("T-01")
    void shouldTellSourceTagLengthAndNumberOfReceivedMessage() {
        Pair pair = connect();
        End server = pair.server();
        MemorySegment target = buffer(100);
        long receive =
                server.recorder().posted(server.worker().receive(target, 0, 100, 0x1234, FULL, server.recorder(), 77));

        pair.client().send(pattern(100, 1), 0x1234);

        Outcome outcome = completeOk(server, receive);
        assertSame(server.endpoint(), outcome.source().orElseThrow());
        assertEquals(0x1234, outcome.tag());
        assertEquals(100, outcome.length());
        assertEquals(77, outcome.userData());
        Pattern.verify(target, 0, 100, 1);
        completeAll(client());
    }

    /** After one turn of the receiver some of many messages may be with the transport still, and end their receives inside the post. */
    @Test
    @Semantics("T-01")
    void shouldTellTagAndLengthOfMessagesThatHaveOnlyJustCome() {
        Pair pair = connect();
        int count = 150;
        for (int i = 1; i <= count; i++) {
            pair.client().send(pattern(i, i), i);
        }
        client().progress();
        server().progress();
        for (int i = count; i > 0; i--) {
            MemorySegment target = buffer(count);
            Outcome outcome = completeOk(pair.server(), pair.server().receive(target, i));
            assertEquals(i, outcome.tag());
            assertEquals(i, outcome.length());
            Pattern.verify(target, 0, i, i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-02")
    void shouldTellEndpointTagLengthAndNumberOfSend() {
        Pair pair = connect();
        End client = pair.client();
        pair.server().receive(buffer(48), 9);
        MemorySegment source = pattern(64, 1);

        long send = client.posted(client.endpoint().send(source, 8, 48, 9, client.recorder(), -3));

        Outcome outcome = completeOk(client, send);
        assertSame(client.endpoint(), outcome.source().orElseThrow());
        assertEquals(9, outcome.tag());
        assertEquals(48, outcome.length());
        assertEquals(-3, outcome.userData());
        completeAll(server());
    }

    @Test
    @Semantics("T-03")
    void shouldDeliverMessageOfNoBytesToExpectingReceives() {
        Pair pair = connect();
        long withoutRoom = pair.server().receive(buffer(0), 1);
        MemorySegment target = buffer(16).fill(UNTOUCHED);
        long withRoom = pair.server().receive(target, 2);

        pair.client().send(buffer(0), 1);
        pair.client().send(buffer(0), 2);

        assertEquals(0, completeOk(pair.server(), withoutRoom).length());
        assertEquals(0, completeOk(pair.server(), withRoom).length());
        Pattern.verifyFilled(target, 0, 16, UNTOUCHED);
        completeAll(client());
    }

    @Test
    @Semantics("T-03")
    void shouldDeliverMessageOfNoBytesThatArrivedFirst() {
        Pair pair = connect();
        pair.client().send(buffer(0), 1);
        pair.client().send(buffer(0), 2);
        awaitMessage(server(), 2);

        assertEquals(
                0,
                completeOk(pair.server(), pair.server().receive(buffer(0), 1)).length());
        assertEquals(
                0,
                completeOk(pair.server(), pair.server().receive(buffer(16), 2)).length());
        completeAll(client());
    }

    @Test
    @Semantics("T-04")
    void shouldLeaveRestOfLargerBufferUntouched() {
        Pair pair = connect();
        for (long length : new long[] {1, 7, 100, eagerMax(), beyondEager()}) {
            MemorySegment target = buffer(length + 64).fill(UNTOUCHED);
            long receive = pair.server().receive(target, length);

            pair.client().send(pattern(length, length), length);

            assertEquals(length, completeOk(pair.server(), receive).length());
            Pattern.verify(target, 0, length, length);
            Pattern.verifyFilled(target, length, 64, UNTOUCHED);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-05")
    void shouldMoveOnlyRangesAtAnyAlignment() {
        Pair pair = connect();
        for (long length : new long[] {1, 13, 64, beyondEager()}) {
            for (int alignment = 0; alignment < 8; alignment++) {
                moveRange(pair, length, alignment, 7 - alignment);
            }
        }
        completeAll(client());
    }

    private void moveRange(Pair pair, long length, long sourceOffset, long targetOffset) {
        End server = pair.server();
        End client = pair.client();
        MemorySegment source = buffer(length + 16).fill((byte) 0x77);
        Pattern.fill(source, sourceOffset, length, length);
        MemorySegment target = buffer(length + 16).fill(UNTOUCHED);
        long receive =
                server.posted(server.endpoint().receive(target, targetOffset, length, 3, FULL, server.recorder(), 0));

        client.posted(client.endpoint().send(source, sourceOffset, length, 3, client.recorder(), 0));

        completeOk(server, receive);
        Pattern.verify(target, targetOffset, length, length);
        Pattern.verifyFilled(target, 0, targetOffset, UNTOUCHED);
        Pattern.verifyFilled(target, targetOffset + length, 16 - targetOffset, UNTOUCHED);
    }

    @Test
    @Semantics("T-06")
    void shouldGiveEveryOperationInFlightItsOwnPositiveId() {
        Pair pair = connect();
        MemorySegment small = buffer(8);
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            long id = pair.server().receive(small, i);
            assertTrue(id > 0, () -> "request id: id=" + id);
            assertTrue(ids.add(id), () -> "request id given out twice: id=" + id);
        }
        for (int i = 0; i < 1000; i++) {
            pair.client().send(small, i);
        }
        completeAll(server());
        completeAll(client());
        assertEquals(ids, new HashSet<>(idsOf(server())));
    }

    private static List<Long> idsOf(Side side) {
        return side.recorder().outcomes().stream().map(Outcome::id).toList();
    }

    @Test
    @Semantics("T-07")
    void shouldSendBothWaysAtOnce() {
        Pair pair = connect();
        int count = 100;
        List<MemorySegment> targets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long length = i % 10 == 9 ? beyondEager() : 1000;
            for (End end : List.of(pair.server(), pair.client())) {
                MemorySegment target = buffer(length);
                targets.add(target);
                end.receive(target, i);
            }
        }
        for (int i = 0; i < count; i++) {
            long length = i % 10 == 9 ? beyondEager() : 1000;
            pair.client().send(pattern(length, i), i);
            pair.server().send(pattern(length, -i), i);
        }
        completeAll(server());
        completeAll(client());
        for (int i = 0; i < count; i++) {
            Pattern.verify(targets.get(2 * i), 0, targets.get(2 * i).byteSize(), i);
            Pattern.verify(targets.get(2 * i + 1), 0, targets.get(2 * i + 1).byteSize(), -i);
        }
    }

    @Test
    @Semantics("T-08")
    void shouldTellManyEndpointsOfOneWorkerApart() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            pairs.add(connect());
        }
        for (int i = 0; i < pairs.size(); i++) {
            pairs.get(i).client().send(pattern(100, i), i);
        }
        for (int i = 0; i < pairs.size(); i++) {
            MemorySegment target = buffer(100);
            Outcome outcome = complete(server(), server().receive(target, i, FULL));
            assertEquals(Status.OK, outcome.status());
            assertSame(pairs.get(i).server().endpoint(), outcome.source().orElseThrow());
            Pattern.verify(target, 0, 100, i);
        }
        completeAll(client());
        Set<Integer> ids = new HashSet<>();
        pairs.forEach(pair -> assertTrue(ids.add(pair.server().endpoint().id()), "endpoint id given out twice"));
    }

    @Test
    @Semantics("T-09")
    void shouldExchangeMessagesWithOwnListener() {
        Side side = server();
        Endpoint connecting = side.connect(side);
        progressUntil(() -> side.events().count(Event.Kind.CONNECTED) == 2, "both ends to be connected");
        Endpoint accepted = side.events().all().stream()
                .map(Event::endpoint)
                .filter(endpoint -> !endpoint.equals(connecting))
                .findFirst()
                .orElseThrow();
        assertNotSame(connecting, accepted);
        exchange(new End(side, connecting), new End(side, accepted), 100);
        exchange(new End(side, accepted), new End(side, connecting), beyondEager());
    }

    private void exchange(End from, End to, long length) {
        MemorySegment target = buffer(length);
        long receive = to.receive(target, 5);
        long send = from.send(pattern(length, length), 5);
        completeOk(to, receive);
        completeOk(from, send);
        Pattern.verify(target, 0, length, length);
    }

    @Test
    @Semantics("T-10")
    void shouldEchoFromCompletionsAlone() {
        Pair pair = connect();
        int rounds = 200;
        Player server = new Player(pair.server(), pattern(64, 5), rounds);
        Player client = new Player(pair.client(), pattern(64, 5), rounds);
        client.ball.set(ValueLayout.JAVA_LONG, 0, 0);

        server.receive();
        client.send();

        progressUntil(() -> client.received == rounds && server.received == rounds, "the last echo");
        completeAll(server());
        completeAll(client());
        assertEquals(2L * rounds, client.ball.get(ValueLayout.JAVA_LONG, 0), "how often the ball was received");
        Pattern.verify(client.ball.asSlice(8), 0, 56, 5, 8);
    }

    /** Sends back what it receives, a number of times; everything after its first call happens in completions. */
    private static final class Player {
        private final End end;
        private final MemorySegment ball;
        private final int rounds;
        private final Completion afterReceive = this::afterReceive;
        private final Completion afterSend = this::afterSend;
        private int received;
        private int sent;

        private Player(End end, MemorySegment ball, int rounds) {
            this.end = end;
            this.ball = ball;
            this.rounds = rounds;
        }

        private void receive() {
            end.posted(end.endpoint().receive(ball, 0, ball.byteSize(), 1, FULL, afterReceive, 0));
        }

        private void send() {
            sent++;
            end.send(ball, 1, afterSend);
        }

        private void afterReceive(Request request) {
            end.recorder().completed(request);
            received++;
            ball.set(ValueLayout.JAVA_LONG, 0, ball.get(ValueLayout.JAVA_LONG, 0) + 1);
            if (sent < rounds) {
                send();
            }
        }

        private void afterSend(Request request) {
            end.recorder().completed(request);
            if (received < rounds) {
                receive();
            }
        }
    }

    @Test
    @Semantics("T-11")
    void shouldDeliverFirstAndLastTag() {
        Pair pair = connect();
        for (long tag : new long[] {0, 1, Worker.TAG_MAX - 1, Worker.TAG_MAX}) {
            MemorySegment target = buffer(8);
            long receive = pair.server().receive(target, tag);
            pair.client().send(pattern(8, tag), tag);
            assertEquals(tag, completeOk(pair.server(), receive).tag());
            Pattern.verify(target, 0, 8, tag);
        }
        completeAll(client());
    }
}
