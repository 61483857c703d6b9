package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.Status;
import io.fairlead.testkit.internal.FakeOperation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Two workers with an endpoint each, connected by a real socket and driven by the test's thread. */
final class TestPair implements AutoCloseable {
    private static final long DEADLINE_NS = Duration.ofSeconds(60).toNanos();

    final TestWorker leftWorker;
    final TestWorker rightWorker;
    final TestWorker.End left;
    final TestWorker.End right;
    final Arena arena = Arena.ofShared();

    TestPair() {
        this(TestWorker.QUEUE_BYTES);
    }

    TestPair(int queueBytes) {
        leftWorker = new TestWorker(queueBytes);
        rightWorker = new TestWorker(queueBytes);
        Sockets sockets = Sockets.connected();
        left = leftWorker.connect(sockets.left());
        right = rightWorker.connect(sockets.right());
    }

    /** Lets both sockets move at most so many bytes at a time. */
    void tear(int max, long seed) {
        for (FakeConnection connection : new FakeConnection[] {left.connection(), right.connection()}) {
            connection.tearing = new Random(seed);
            connection.tearingMax = max;
        }
    }

    int progress() {
        return leftWorker.progress() + rightWorker.progress();
    }

    void progressUntil(BooleanSupplier condition, String what) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (progress() == 0) {
                Thread.yield();
            }
            if (System.nanoTime() - start > DEADLINE_NS) {
                fail("waited 60 s for " + what + ": left=" + left.host().failure + ", right=" + right.host().failure);
            }
        }
    }

    void complete(FakeOperation... operations) {
        for (FakeOperation operation : operations) {
            progressUntil(operation::done, "an operation to complete");
            assertEquals(Status.OK, operation.status);
        }
        assertNull(left.host().failure);
        assertNull(right.host().failure);
    }

    MemorySegment buffer(long length) {
        return arena.allocate(Math.max(1, length), 8).asSlice(0, length);
    }

    /** Memory filled with bytes that tell places and seeds apart. */
    MemorySegment pattern(long length, int seed) {
        MemorySegment buffer = buffer(length);
        for (long i = 0; i < length; i++) {
            buffer.set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >>> 8) * 7 + seed));
        }
        return buffer;
    }

    static void assertSame(MemorySegment expected, MemorySegment actual) {
        assertEquals(expected.byteSize(), actual.byteSize(), "length");
        assertEquals(-1, expected.mismatch(actual), "first byte that differs");
    }

    @Override
    public void close() {
        leftWorker.close();
        rightWorker.close();
        arena.close();
    }
}
