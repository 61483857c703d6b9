package io.fairlead.spi.served;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Two ends of one connection: the asker asks, the owner has regions. */
final class FakePair implements AutoCloseable {
    private static final int TURNS_MAX = 1_000_000;

    final Arena arena = Arena.ofConfined();
    final FakeEnd asker;
    final FakeEnd owner;
    int piece = Integer.MAX_VALUE;

    FakePair(ServedLimits limits) {
        asker = new FakeEnd(limits);
        owner = new FakeEnd(limits);
    }

    MemorySegment pattern(long length, int seed) {
        MemorySegment segment = arena.allocate(length, 8);
        for (long i = 0; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + seed));
        }
        return segment;
    }

    /** Moves what is under way, and lets both ends go on; false if there was nothing to do. */
    boolean turn() {
        int moved = move(asker, owner) + move(owner, asker);
        boolean busy = moved > 0 || asker.isBorrowing() || owner.isBorrowing();
        asker.resume();
        owner.resume();
        return busy || !asker.sent.isEmpty() || !owner.sent.isEmpty();
    }

    private int move(FakeEnd from, FakeEnd to) {
        int count = from.sent.size();
        for (int i = 0; i < count; i++) {
            to.receive(from.sent.remove(), piece);
        }
        return count;
    }

    /** Turns until nothing is left to do. */
    void settle() {
        int turns = 0;
        while (turn()) {
            assertTrue(turns++ < TURNS_MAX, "it never ends");
        }
        assertNull(asker.failure);
        assertNull(owner.failure);
    }

    void complete(FakeOperation... operations) {
        settle();
        for (FakeOperation operation : operations) {
            assertEquals(Status.OK, operation.status);
        }
    }

    @Override
    public void close() {
        assertEquals(0, owner.host.holders, "a region is left held");
        arena.close();
    }
}
