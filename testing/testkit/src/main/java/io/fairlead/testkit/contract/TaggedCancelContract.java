package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fairlead.EndpointState;
import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cancelling receives that no message has matched. */
public class TaggedCancelContract extends TaggedCases {
    /** Creates the suite of one case; JUnit does. */
    protected TaggedCancelContract() {}

    @Test
    @Semantics("T-36")
    void shouldCompleteCancelledInNextProgress() {
        Pair pair = connect();
        MemorySegment target = buffer(16).fill((byte) 0x55);
        long fromAny = server().receive(target, 1, FULL);
        long fromOne = pair.server().receive(target, 1);

        assertTrue(server().worker().cancel(fromAny));
        assertTrue(server().worker().cancel(fromOne));
        assertEquals(0, server().recorder().count(), "completed inside of cancel");
        server().progress();

        Outcome any = server().recorder().outcome(fromAny);
        assertEquals(Status.CANCELLED, any.status());
        assertTrue(any.source().isEmpty(), "matched nothing, so that there is no source");
        Outcome one = server().recorder().outcome(fromOne);
        assertEquals(Status.CANCELLED, one.status());
        assertSame(pair.server().endpoint(), one.source().orElseThrow());
        Pattern.verifyFilled(target, 0, 16, (byte) 0x55);
    }

    @Test
    @Semantics("D-33")
    void shouldEndReceiveWhoseMemoryIsClosed() {
        Pair pair = connect();
        for (int length : new int[] {16, 4096, 1 << 20}) {
            Arena arena = Arena.ofShared();
            long dead = server().receive(arena.allocate(length, 8), 1, FULL);
            long deadToo = server().receive(arena.allocate(length, 8), 1, ANY_TAG);
            MemorySegment target = buffer(length);
            long alive = server().receive(target, 1, FULL);
            arena.close();
            pair.client().send(pattern(length, length), 1);

            completeOk(pair.server(), alive);
            Pattern.verify(target, 0, length, length);
            assertEquals(Status.CANCELLED, complete(server(), dead).status());
            assertEquals(Status.CANCELLED, complete(server(), deadToo).status());
        }
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
        completeAll(client());
    }

    @Test
    @Semantics("D-38")
    void shouldFailTheEndpointWhoseMessageLosesItsMemory() {
        assumeFalse(transport().name().equals("ucx"), "UCX reads by address");
        for (int length : new int[] {8, 40_000, 200_000}) {
            sendMemoryThatIsClosed(length);
        }
    }

    private void sendMemoryThatIsClosed(int length) {
        Pair pair = connect();
        long send;
        try (Arena arena = Arena.ofShared()) {
            send = pair.client().send(arena.allocate(length, 8), 1);
        }
        long receive = server().receive(buffer(length), 1, FULL);
        Outcome sent = complete(client(), send);
        if (sent.status() == Status.OK) {
            // It was copied inside the post.
            completeOk(pair.server(), receive);
            assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
        } else {
            progressUntil(() -> client().events().ended(pair.client().endpoint()), "the endpoint to fail");
            assertEquals(EndpointState.FAILED, pair.client().endpoint().state());
        }
    }

    @Test
    @Semantics("T-37")
    void shouldPassOverCancelledReceives() {
        Pair pair = connect();
        List<Long> receives = new ArrayList<>();
        List<MemorySegment> targets = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            targets.add(buffer(8).fill((byte) 0x55));
            receives.add(
                    i % 2 == 0
                            ? pair.server().receive(targets.get(i), 1)
                            : server().receive(targets.get(i), 1, i == 5 ? ANY_TAG : FULL));
        }
        // The first, the last, two neighbours, and one with a mask of its own.
        for (int i : new int[] {0, 8, 3, 4, 5}) {
            assertTrue(server().worker().cancel(receives.get(i)));
        }
        for (int i = 0; i < 4; i++) {
            pair.client().send(pattern(8, i), 1);
        }
        completeAll(server());
        completeAll(client());

        int next = 0;
        for (int i : new int[] {1, 2, 6, 7}) {
            assertEquals(Status.OK, server().recorder().outcome(receives.get(i)).status());
            Pattern.verify(targets.get(i), 0, 8, next++);
        }
        for (int i : new int[] {0, 3, 4, 5, 8}) {
            assertEquals(
                    Status.CANCELLED,
                    server().recorder().outcome(receives.get(i)).status());
            Pattern.verifyFilled(targets.get(i), 0, 8, (byte) 0x55);
        }
    }

    @Test
    @Semantics("T-37")
    void shouldLeaveMessageToNextReceive() {
        Pair pair = connect();
        long cancelled = pair.server().receive(buffer(8), 1);
        server().worker().cancel(cancelled);
        completeOk(pair.client(), pair.client().send(pattern(8, 7), 1));
        awaitMessage(server(), 1);

        MemorySegment target = buffer(8);
        completeOk(pair.server(), pair.server().receive(target, 1));

        Pattern.verify(target, 0, 8, 7);
        assertEquals(Status.CANCELLED, server().recorder().outcome(cancelled).status());
    }

    @Test
    @Semantics("T-38")
    void shouldRefuseToCancelWhatHasEnded() {
        Pair pair = connect();
        long receive = pair.server().receive(buffer(8), 1);
        pair.client().send(buffer(8), 1);
        completeOk(pair.server(), receive);

        assertFalse(server().worker().cancel(receive));

        long withdrawn = pair.server().receive(buffer(8), 1);
        assertTrue(server().worker().cancel(withdrawn));
        assertFalse(server().worker().cancel(withdrawn), "cancelled before its completion ran");
        assertEquals(Status.CANCELLED, complete(pair.server(), withdrawn).status());
        assertFalse(server().worker().cancel(withdrawn), "completed");
        // The slot of an ended operation is used again; its id must not reach the successor.
        long successor = pair.server().receive(buffer(8), 1);
        assertFalse(server().worker().cancel(receive));
        assertFalse(server().worker().cancel(withdrawn));
        pair.client().send(buffer(8), 1);
        completeOk(pair.server(), successor);
        completeAll(client());
        assertEquals(3, server().recorder().count());
    }

    @Test
    @Semantics("T-38")
    void shouldRefuseToCancelSends() {
        Pair pair = connect();
        MemorySegment target = buffer(beyondEager());
        long eager = pair.client().send(pattern(8, 1), 1);
        long rendezvous = pair.client().send(pattern(beyondEager(), 2), 2);
        awaitMessage(server(), 2);

        assertFalse(client().worker().cancel(eager));
        assertFalse(client().worker().cancel(rendezvous));

        completeOk(pair.server(), pair.server().receive(target, 1));
        Pattern.verify(target, 0, 8, 1);
        completeOk(pair.server(), pair.server().receive(target, 2));
        Pattern.verify(target, 0, beyondEager(), 2);
        completeOk(pair.client(), eager);
        completeOk(pair.client(), rendezvous);
    }

    @Test
    @Semantics("T-38")
    void shouldRefuseToCancelIdsThatWereNeverGivenOut() {
        connect();
        for (long id : new long[] {0, -1, 1, 123_456_789_012_345L, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertFalse(server().worker().cancel(id), () -> "id=" + id);
        }
        assertEquals(0, server().recorder().count());
    }

    @Test
    @Semantics("T-38")
    void shouldEitherCancelOrReceiveAndLoseNothing() {
        Pair pair = connect();
        int cancelled = 0;
        for (int round = 0; round < 200; round++) {
            long length = round % 2 == 0 ? 64 : beyondEager();
            MemorySegment target = buffer(beyondEager());
            long receive = pair.server().receive(target, 1);
            long send = pair.client().send(pattern(length, round), 1);
            for (int i = 0; i < round % 8; i++) {
                progress();
            }
            boolean withdrawn = server().worker().cancel(receive);
            Outcome outcome = complete(pair.server(), receive);
            assertEquals(withdrawn ? Status.CANCELLED : Status.OK, outcome.status());
            if (withdrawn) {
                cancelled++;
                completeOk(pair.server(), pair.server().receive(target, 1));
            }
            Pattern.verify(target, 0, length, round);
            completeOk(pair.client(), send);
        }
        assertTrue(cancelled > 0, "no receive was withdrawn in time");
    }
}
