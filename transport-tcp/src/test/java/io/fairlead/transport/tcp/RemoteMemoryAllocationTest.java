package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.spi.AtomicOperation;
import io.fairlead.testkit.internal.FakeOperation;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What remote memory allocates once everything that is pooled is there: nothing. */
@Timeout(120)
final class RemoteMemoryAllocationTest {
    private static final int ROUNDS = 2_000;
    private static final int ATTEMPTS = 100;
    private static final long REGION = 5;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @ValueSource(longs = {8, 4096, 100_000})
    void shouldAllocateNothingForAnOperation(long length) {
        try (TestPair pair = new TestPair()) {
            pair.right.host().region(REGION, pair.buffer(length));
            FakeOperation put = FakeOperation.over(pair.buffer(length)).at(REGION, 0);
            FakeOperation get = FakeOperation.over(pair.buffer(length)).at(REGION, 0);
            FakeOperation atomic = new FakeOperation().at(REGION, 0).atomic(AtomicOperation.ADD, 1, 0);
            FakeOperation flush = new FakeOperation();
            long least = Long.MAX_VALUE;
            // Code that is not compiled yet allocates what compiled code does not.
            for (int attempt = 0; attempt < ATTEMPTS && least >= ROUNDS; attempt++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int round = 0; round < ROUNDS; round++) {
                    operate(pair, put, get, atomic, flush);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertTrue(least < ROUNDS, "bytes in " + ROUNDS + " rounds of four operations: " + least);
        }
    }

    private static void operate(
            TestPair pair, FakeOperation put, FakeOperation get, FakeOperation atomic, FakeOperation flush) {
        TcpEndpoint left = pair.left.endpoint();
        put.again();
        get.again();
        atomic.again();
        flush.again();
        assertTrue(left.put(put) && left.get(get) && left.atomic(atomic) && left.flush(flush));
        while (!(put.done() && get.done() && atomic.done() && flush.done())) {
            pair.progress();
        }
    }

    @Test
    void shouldSeeWhatIsAllocated() {
        long before = threads.getCurrentThreadAllocatedBytes();
        byte[] some = new byte[ROUNDS];
        assertTrue(threads.getCurrentThreadAllocatedBytes() - before >= some.length);
    }
}
