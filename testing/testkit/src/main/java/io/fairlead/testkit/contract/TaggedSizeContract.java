package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of every size, also around the longest eager message and around 2 GiB. */
public class TaggedSizeContract extends TaggedCases {
    private static final int MIB = 1 << 20;
    private static final long BEYOND_2_GIB = (1L << 31) + 1;

    /** Creates the suite of one case; JUnit does. */
    protected TaggedSizeContract() {}

    @Test
    @Semantics("T-46")
    void shouldDeliverMessagesAroundEagerLimitThatAreExpected() {
        Pair pair = connect();
        for (long length : new long[] {eagerMax() - 1L, eagerMax(), eagerMax() + 1L}) {
            deliverExpected(pair, length);
        }
    }

    @Test
    @Semantics("T-46")
    void shouldDeliverMessagesAroundEagerLimitThatWait() {
        Pair pair = connect();
        for (long length : new long[] {eagerMax() - 1L, eagerMax(), eagerMax() + 1L}) {
            deliverWaiting(pair, length);
        }
    }

    @Test
    @Semantics("T-46")
    void shouldDeliverEveryLengthOfSmallMessages() {
        Pair pair = connect();
        for (int length = 0; length <= 300; length++) {
            deliverExpected(pair, length);
            deliverWaiting(pair, length);
        }
    }

    @Test
    @Semantics("T-47")
    void shouldDeliver64KiB() {
        Pair pair = connect();
        deliverExpected(pair, 1 << 16);
        deliverWaiting(pair, 1 << 16);
    }

    @Test
    @Semantics("T-47")
    void shouldDeliver1MiB() {
        Pair pair = connect();
        deliverExpected(pair, MIB);
        deliverWaiting(pair, MIB);
    }

    @Test
    @Semantics("T-47")
    void shouldDeliver16MiB() {
        Pair pair = connect();
        deliverExpected(pair, 16 * MIB);
        deliverWaiting(pair, 16 * MIB);
    }

    private void deliverExpected(Pair pair, long length) {
        MemorySegment target = buffer(length);
        long receive = pair.server().receive(target, 1);
        long send = pair.client().send(pattern(length, length), 1);
        assertEquals(length, completeOk(pair.server(), receive).length());
        assertEquals(length, completeOk(pair.client(), send).length());
        Pattern.verify(target, 0, length, length);
    }

    private void deliverWaiting(Pair pair, long length) {
        MemorySegment target = buffer(length);
        long send = pair.client().send(pattern(length, length), 1);
        assertEquals(length, awaitMessage(server(), 1).length());
        assertEquals(
                length,
                completeOk(pair.server(), pair.server().receive(target, 1)).length());
        completeOk(pair.client(), send);
        Pattern.verify(target, 0, length, length);
    }

    @Test
    @Semantics("T-48")
    void shouldDeliverBeyond2GiB() {
        FreeMemory.require(2 * BEYOND_2_GIB + 1024L * MIB);
        Pair pair = connect();
        MemorySegment source = pattern(BEYOND_2_GIB, 48);
        MemorySegment target = buffer(BEYOND_2_GIB);
        long receive = pair.server().receive(target, 1);

        long send = pair.client().send(source, 1);

        assertEquals(BEYOND_2_GIB, completeOk(pair.server(), receive).length());
        assertEquals(BEYOND_2_GIB, completeOk(pair.client(), send).length());
        assertEquals(-1, source.mismatch(target), "first byte that differs");
    }

    @Test
    @Semantics("T-43")
    void shouldGatherOneToSixtyFourBuffers() {
        Pair pair = connect();
        for (int count : new int[] {1, 2, 3, 63, 64}) {
            int[] lengths = new int[count];
            for (int i = 0; i < count; i++) {
                lengths[i] = 1 + i * 7 % 50;
            }
            gather(pair, lengths);
        }
    }

    @Test
    @Semantics("T-43")
    void shouldGatherEmptyBuffers() {
        Pair pair = connect();
        gather(pair, 0);
        gather(pair, 0, 0, 0);
        gather(pair, 0, 5);
        gather(pair, 5, 0);
        gather(pair, 0, 3, 0, 0, 4, 0);
        gather(pair, new int[64]);
    }

    @Test
    @Semantics("T-45")
    void shouldGatherBeyondEagerLimit() {
        Pair pair = connect();
        int eager = eagerMax();
        gather(pair, eager, 1);
        gather(pair, eager - 1, 1);
        gather(pair, 1, eager);
        gather(pair, eager, 0, eager, eager + 3);
        gather(pair, 3, MIB, 0, 5, 2 * MIB, 1);
    }

    /** Sends buffers of these lengths as one message, once with a waiting receive and once without. */
    private void gather(Pair pair, int... lengths) {
        End client = pair.client();
        MemorySegment[] parts = new MemorySegment[lengths.length];
        long total = 0;
        for (int i = 0; i < lengths.length; i++) {
            parts[i] = pattern(lengths[i], i);
            total += lengths[i];
        }
        for (boolean expected : new boolean[] {true, false}) {
            MemorySegment target = buffer(total);
            long receive = expected ? pair.server().receive(target, 1) : 0;
            long send = client.posted(client.endpoint().sendGather(parts, 1, client.recorder()));
            if (!expected) {
                assertEquals(total, awaitMessage(server(), 1).length());
                receive = pair.server().receive(target, 1);
            }
            assertEquals(total, completeOk(pair.server(), receive).length());
            assertEquals(total, completeOk(client, send).length());
            long offset = 0;
            for (int i = 0; i < lengths.length; i++) {
                Pattern.verify(target, offset, lengths[i], i);
                offset += lengths[i];
            }
        }
    }

    @Test
    @Semantics("T-49")
    void shouldKeepPayloadOfUnmatchedRendezvousMessagesAtSender() {
        assumeTrue(FreeMemory.resident().isPresent(), "the operating system does not tell the resident memory");
        int count = 64;
        Pair pair = connect();
        MemorySegment source = pattern(16 * MIB, 1);
        MemorySegment target = buffer(16 * MIB);
        long before = FreeMemory.resident().getAsLong();
        List<Long> sends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sends.add(pair.client().send(source, i));
        }
        awaitMessage(server(), count - 1);
        progressUntilIdle();

        long grown = FreeMemory.resident().getAsLong() - before;
        assertTrue(grown < 256L * MIB, () -> "memory grew by " + grown / MIB + " MiB for messages of 1024 MiB");
        for (long send : sends) {
            assertFalse(client().recorder().has(send), "completed before a receive matched it");
        }
        for (int i = count - 1; i >= 0; i--) {
            assertEquals(
                    16 * MIB,
                    completeOk(pair.server(), pair.server().receive(target, i)).length());
        }
        assertEquals(-1, source.mismatch(target), "first byte that differs");
        completeAll(client());
    }

    @Test
    @Semantics("T-49")
    void shouldLetShortMessagesPassWhileLongOnesWait() {
        Pair pair = connect();
        long waiting = pair.client().send(pattern(16 * MIB, 1), 1);
        for (int i = 0; i < 100; i++) {
            MemorySegment target = buffer(64);
            pair.client().send(pattern(64, i), 2);
            completeOk(pair.server(), pair.server().receive(target, 2));
            Pattern.verify(target, 0, 64, i);
        }
        assertFalse(client().recorder().has(waiting));
        MemorySegment target = buffer(16 * MIB);
        completeOk(pair.server(), pair.server().receive(target, 1));
        completeOk(pair.client(), waiting);
        Pattern.verify(target, 0, 16 * MIB, 1);
    }
}
