package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.fairlead.Capability;
import io.fairlead.EndpointState;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Messages that are longer than the buffer of their receive. */
public class TaggedTruncationContract extends TaggedCases {
    private static final byte UNTOUCHED = 0x55;
    private static final int MARGIN = 64;

    /** Creates the suite of one case; JUnit does. */
    protected TaggedTruncationContract() {}

    @Test
    @Semantics("T-39")
    void shouldTruncateExpectedEagerMessage() {
        truncateExpected(1000, 10);
        truncateExpected(eagerMax(), eagerMax() - 1L);
    }

    @Test
    @Semantics("T-39")
    void shouldTruncateWaitingEagerMessage() {
        truncateWaiting(1000, 10);
        truncateWaiting(eagerMax(), eagerMax() - 1L);
    }

    @Test
    @Semantics("T-39")
    void shouldTruncateExpectedRendezvousMessage() {
        truncateExpected(beyondEager(), 10);
        truncateExpected(eagerMax() + 1L, eagerMax());
        truncateExpected(1 << 20, (1 << 20) - 1);
    }

    @Test
    @Semantics("T-39")
    void shouldTruncateWaitingRendezvousMessage() {
        truncateWaiting(beyondEager(), 10);
        truncateWaiting(eagerMax() + 1L, eagerMax());
        truncateWaiting(1 << 20, (1 << 20) - 1);
    }

    @Test
    @Semantics("T-39")
    void shouldTruncateToNoBytes() {
        truncateExpected(1, 0);
        truncateExpected(beyondEager(), 0);
        truncateWaiting(1, 0);
        truncateWaiting(beyondEager(), 0);
    }

    private void truncateExpected(long length, long room) {
        Pair pair = connect();
        MemorySegment target = buffer(room + MARGIN).fill(UNTOUCHED);
        long receive = receive(pair, target, room);
        pair.client().send(pattern(length, length), 1);
        assertTruncated(pair, complete(pair.server(), receive), target, length, room);
        completeAll(client());
    }

    private void truncateWaiting(long length, long room) {
        Pair pair = connect();
        MemorySegment target = buffer(room + MARGIN).fill(UNTOUCHED);
        pair.client().send(pattern(length, length), 1);
        awaitMessage(server(), 1);
        assertTruncated(pair, complete(pair.server(), receive(pair, target, room)), target, length, room);
        completeAll(client());
    }

    private static long receive(Pair pair, MemorySegment target, long room) {
        End server = pair.server();
        return server.posted(server.endpoint().receive(target, 0, room, 1, FULL, server.recorder(), 0));
    }

    private static void assertTruncated(Pair pair, Outcome outcome, MemorySegment target, long length, long room) {
        assertEquals(Status.TRUNCATED, outcome.status());
        assertEquals(length, outcome.length());
        assertEquals(1, outcome.tag());
        assertSame(pair.server().endpoint(), outcome.source().orElseThrow());
        Pattern.verifyFilled(target, room, MARGIN, UNTOUCHED);
    }

    @Test
    @Semantics("T-40")
    void shouldDeliverMessagesBehindTruncatedOnesIntact() {
        Pair pair = connect();
        long[] lengths = {100, beyondEager(), 64, eagerMax(), 1 << 20, 1, 200};
        for (int round = 0; round < 2; round++) {
            boolean waiting = round == 1;
            MemorySegment[] targets = new MemorySegment[lengths.length];
            long[] receives = new long[lengths.length];
            if (waiting) {
                sendAll(pair, lengths);
                awaitUnexpected(server(), lengths.length);
            }
            for (int i = 0; i < lengths.length; i++) {
                // Every other buffer has half the length of its message.
                targets[i] = buffer(i % 2 == 0 ? lengths[i] / 2 : lengths[i]);
                receives[i] = pair.server().receive(targets[i], 1);
            }
            if (!waiting) {
                sendAll(pair, lengths);
            }
            for (int i = 0; i < lengths.length; i++) {
                Outcome outcome = complete(pair.server(), receives[i]);
                assertEquals(i % 2 == 0 ? Status.TRUNCATED : Status.OK, outcome.status());
                assertEquals(lengths[i], outcome.length());
                if (i % 2 == 1) {
                    Pattern.verify(targets[i], 0, lengths[i], i);
                }
            }
        }
        completeAll(client());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
    }

    private void sendAll(Pair pair, long[] lengths) {
        for (int i = 0; i < lengths.length; i++) {
            pair.client().send(pattern(lengths[i], i), 1);
        }
    }

    @Test
    @Semantics("T-41")
    void shouldCompleteSendsOfTruncatedMessages() {
        requires(Capability.SYNCHRONOUS_SEND);
        Pair pair = connect();
        for (long length : new long[] {100, beyondEager()}) {
            pair.server().receive(buffer(10), 1);
            pair.server().receive(buffer(10), 1);

            Outcome plain = completeOk(pair.client(), pair.client().send(buffer(length), 1));
            Outcome synchronous = completeOk(pair.client(), pair.client().sendSynchronous(buffer(length), 1));

            assertEquals(length, plain.length());
            assertEquals(length, synchronous.length());
            completeAll(server());
        }
    }

    @Test
    @Semantics("T-42")
    void shouldTruncateWithOneByteLessThanNeeded() {
        Pair pair = connect();
        for (long length : new long[] {1, 2, 1000, eagerMax(), eagerMax() + 1L, 1 << 20}) {
            long exact = pair.server().receive(buffer(length), 1);
            long short1 = pair.server().receive(buffer(length - 1), 1);
            pair.client().send(buffer(length), 1);
            pair.client().send(buffer(length), 1);
            assertEquals(Status.OK, complete(pair.server(), exact).status());
            assertEquals(Status.TRUNCATED, complete(pair.server(), short1).status());
        }
        completeAll(client());
    }
}
