package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.Completion;
import io.fairlead.MemoryRegion;
import io.fairlead.MessageInfo;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Messages that are sent before their receives are posted: the receiver's credits bound them, and none is lost. */
public class BackPressureCreditContract extends BackPressureCases {
    private static final int LENGTH = 1024;
    private static final int FLOOD = repetitions(200_000);

    /** Creates the suite of one case; JUnit does. */
    protected BackPressureCreditContract() {}

    @Test
    @Semantics("B-05")
    void shouldStopSenderOfUnexpectedMessages() {
        Pair pair = connect();
        for (int length : new int[] {LENGTH, 100, EAGER_MAX}) {
            int taken = postUntilStopped(sending(pair.client(), pattern(length, 1), 1), CREDIT_BYTES);

            assertTrue(taken > 1, () -> taken + " messages of " + length + " bytes are fewer than two");
            assertTrue((long) taken * length <= CREDIT_BYTES, () -> taken + " messages of " + length + " bytes");
            assertEquals(taken, unexpectedNow(server()));
            drain(pair.server(), taken);
        }
        completeAll(client());
    }

    private void drain(End end, int count) {
        MemorySegment target = buffer(EAGER_MAX);
        for (int i = 0; i < count; i++) {
            completeOk(end, end.receive(target, 0, 0));
        }
    }

    @Test
    @Semantics("B-06")
    void shouldStopSenderOfMessagesWithoutBytes() {
        Pair pair = connect();
        int taken = postUntilStopped(sending(pair.client(), buffer(0), 1), CREDIT_BYTES);
        assertEquals(taken, unexpectedNow(server()));
        drain(pair.server(), taken);
        completeAll(client());
    }

    @Test
    @Semantics("B-07")
    void shouldLoseAndReorderNothing() {
        Pair pair = connect();
        int count = 2000;
        MemorySegment target = buffer(EAGER_MAX);
        int sent = 0;
        int received = 0;
        while (received < count) {
            while (sent < count) {
                MemorySegment source = pattern(lengthOf(sent), sent);
                if (!tryPost(sending(pair.client(), source, 1))) {
                    break;
                }
                sent++;
            }
            // A few at a time, so that the sender is stopped again and again.
            for (int i = 0; i < 20 && received < sent; i++) {
                Outcome outcome = completeOk(pair.server(), pair.server().receive(target, 1));
                assertEquals(lengthOf(received), outcome.length());
                Pattern.verify(target, 0, outcome.length(), received);
                received++;
            }
            progress();
        }
        completeAll(client());
        assertTrue(
                client().worker().counters().value(Counter.BACK_PRESSURE_EVENTS) > 0, "the sender was never stopped");
    }

    private static int lengthOf(int message) {
        return 8 + message * 13 % (EAGER_MAX - 8);
    }

    @Test
    @Semantics("B-08")
    void shouldStopSenderOfRendezvousMessages() {
        Pair pair = connect();
        MemorySegment source = pattern(1 << 20, 1);
        int taken = postUntilStopped(sending(pair.client(), source, 1), OPERATIONS_MAX);
        assertTrue(taken > 1);
        assertEquals(taken, unexpectedNow(server()));
        assertEquals(taken, inFlight(client()), "each waits at the sender");
        MemorySegment target = buffer(1 << 20);
        for (int i = 0; i < taken; i++) {
            completeOk(pair.server(), pair.server().receive(target, 1));
        }
        assertEquals(-1, source.mismatch(target), "first byte that differs");
        completeAll(client());
    }

    @Test
    @Semantics("B-09")
    void shouldKeepSenderGoingWithDiligentReceiver() {
        Pair pair = connect();
        int count = 5000;
        End server = pair.server();
        int slots = 8;
        Slot[] ring = new Slot[slots];
        for (int i = 0; i < slots; i++) {
            ring[i] = new Slot(server, buffer(LENGTH), count);
            ring[i].post();
        }
        MemorySegment source = pattern(LENGTH, 3);
        LongSupplier send = sending(pair.client(), source, 1);
        for (int i = 0; i < count; i++) {
            postWhenTaken(send);
        }
        completeAll(client());
        completeAll(server());
        assertEquals(count, server().recorder().count());
        for (Slot slot : ring) {
            Pattern.verify(slot.buffer, 0, LENGTH, 3);
        }
    }

    /** A receive that is posted again by its completion, as long as all of them together have not got enough. */
    private static final class Slot {
        private final End end;
        private final MemorySegment buffer;
        private final int count;
        private final Completion again = this::again;

        private Slot(End end, MemorySegment buffer, int count) {
            this.end = end;
            this.buffer = buffer;
            this.count = count;
        }

        private void post() {
            end.posted(end.endpoint().receive(buffer, 0, LENGTH, 1, FULL, again, 0));
        }

        private void again(Request request) {
            end.recorder().completed(request);
            if (end.recorder().count() + end.recorder().outstanding() < count) {
                post();
            }
        }
    }

    @Test
    @Semantics("B-10")
    void shouldLeaveOtherEndpointsTheirCredits() {
        Pair stopped = connect();
        Pair other = connect();
        MemorySegment source = pattern(LENGTH, 1);
        int taken = postUntilStopped(sending(stopped.client(), source, 1), CREDIT_BYTES);

        int others = postUntilStopped(sending(other.client(), source, 2), CREDIT_BYTES);

        assertEquals(taken, others, "the same bound for each");
        MemorySegment target = buffer(LENGTH);
        for (int i = 0; i < others; i++) {
            completeOk(other.server(), other.server().receive(target, 2));
        }
        // Messages received on one endpoint free no credits of the other.
        for (int i = 0; i < 3 * others; i++) {
            postWhenTaken(sending(other.client(), source, 2));
            completeOk(other.server(), other.server().receive(target, 2));
        }
        assertFalse(tryPost(sending(stopped.client(), source, 1)));
        for (int i = 0; i < taken; i++) {
            completeOk(stopped.server(), stopped.server().receive(target, 1));
        }
        completeAll(client());
    }

    @Test
    @Semantics("B-10")
    void shouldLeaveOtherDirectionItsCredits() {
        Pair pair = connect();
        MemorySegment source = pattern(LENGTH, 1);
        int taken = postUntilStopped(sending(pair.client(), source, 1), CREDIT_BYTES);
        MemorySegment target = buffer(LENGTH);
        for (int i = 0; i < 3 * taken; i++) {
            postWhenTaken(sending(pair.server(), source, 2));
            completeOk(pair.client(), pair.client().receive(target, 2));
        }
        assertFalse(tryPost(sending(pair.client(), source, 1)));
        drain(pair.server(), taken);
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("B-11")
    void shouldHoldCreditsOfClaimedMessages() {
        Pair pair = connect();
        LongSupplier send = sending(pair.client(), pattern(LENGTH, 1), 1);
        int taken = postUntilStopped(send, CREDIT_BYTES);
        List<MessageInfo> claimed = new ArrayList<>();
        for (int i = 0; i < taken; i++) {
            MessageInfo info = server().worker().newMessageInfo();
            assertTrue(server().worker().claim(1, FULL, info));
            claimed.add(info);
        }
        progressUntilIdle();
        assertFalse(tryPost(send), "claimed, and not received");

        MemorySegment target = buffer(LENGTH);
        for (MessageInfo info : claimed) {
            long posted = server().worker().receiveClaimed(info, target, 0, LENGTH, server().recorder(), 0);
            complete(server(), server().recorder().posted(posted));
            Pattern.verify(target, 0, LENGTH, 1);
        }
        postWhenTaken(send);
        drain(pair.server(), 1);
        completeAll(client());
    }

    @Test
    @Semantics("B-12")
    void shouldBoundFloodToSlowReceiver() {
        Pair pair = connect();
        MemorySegment source = buffer(16);
        MemorySegment target = buffer(16);
        End server = pair.server();
        End client = pair.client();
        boolean[] free = {true};
        Completion sent = request -> free[0] = true;
        int[] received = {0};
        boolean[] posted = {false};
        Completion receive = request -> {
            posted[0] = false;
            if (request.status() == Status.OK && target.get(ValueLayout.JAVA_LONG, 0) == received[0]) {
                received[0]++;
            }
        };
        long[] next = {0};
        long[] most = {0};
        progressUntil(
                () -> {
                    // The sender posts whenever it may, the receiver takes one message in each turn.
                    for (int i = 0; i < 8 && free[0] && next[0] < FLOOD; i++) {
                        source.set(ValueLayout.JAVA_LONG, 0, next[0]);
                        if (!tryPost(() -> client.endpoint().send(source, 0, 16, 1, sent, 0))) {
                            break;
                        }
                        free[0] = false;
                        next[0]++;
                        client().progress();
                    }
                    if (!posted[0] && received[0] < FLOOD) {
                        posted[0] = true;
                        assertTrue(server.endpoint().receive(target, 0, 16, 1, FULL, receive, 0) > 0);
                    }
                    most[0] = Math.max(most[0], unexpectedNow(server()));
                    return received[0] == FLOOD;
                },
                "all messages to be received, each in its turn");
        assertTrue(most[0] * 16 <= CREDIT_BYTES, () -> most[0] + " messages waited at once");
        assertTrue(
                client().worker().counters().value(Counter.BACK_PRESSURE_EVENTS) > 0, "the sender was never stopped");
        progressUntil(() -> inFlight(client()) == 0, "the last send to complete");
    }

    @Test
    @Semantics("B-13")
    void shouldGoOnWhenBothSidesRanOutOfCredits() {
        Pair pair = connect();
        MemorySegment source = pattern(LENGTH, 1);
        LongSupplier toServer = sending(pair.client(), source, 1);
        LongSupplier toClient = sending(pair.server(), source, 1);
        int atServer = postUntilStopped(toServer, CREDIT_BYTES);
        int atClient = postUntilStopped(toClient, CREDIT_BYTES);
        for (int round = 0; round < 3; round++) {
            drain(pair.server(), atServer);
            drain(pair.client(), atClient);
            progressUntilIdle();
            // Credits come back in portions, so that a part of the last one may still be owed.
            atServer = postUntilStopped(toServer, CREDIT_BYTES);
            atClient = postUntilStopped(toClient, CREDIT_BYTES);
            assertTrue(atServer > 1 && (long) atServer * LENGTH <= CREDIT_BYTES, "what the server grants");
            assertTrue(atClient > 1 && (long) atClient * LENGTH <= CREDIT_BYTES, "what the client grants");
        }
        drain(pair.server(), atServer);
        drain(pair.client(), atClient);
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("B-15")
    void shouldServeRemoteMemoryWithoutCredits() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        Pair pair = connect();
        End client = pair.client();
        MemoryRegion region = server().context().allocate(1 << 16, RemoteMemoryCases.ALL_RIGHTS);
        RemoteKey key = client.unpack(region);
        int taken = postUntilStopped(sending(client, pattern(LENGTH, 1), 1), CREDIT_BYTES);
        MemorySegment target = buffer(1 << 15);
        for (int round = 0; round < 20; round++) {
            client.put(pattern(1 << 15, round), key, 0);
            completeOk(client, client.flush());
            completeOk(client, client.get(target, key, 0));
            Pattern.verify(target, 0, 1 << 15, round);
            long add = client.fetchAdd(1, key, 1 << 15);
            assertEquals(round, completeOk(client, add).value());
        }
        assertFalse(tryPost(sending(client, buffer(LENGTH), 1)));
        drain(pair.server(), taken);
        completeAll(client());
    }
}
