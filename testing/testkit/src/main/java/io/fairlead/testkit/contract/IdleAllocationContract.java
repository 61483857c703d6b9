package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What a worker allocates that has connections and nothing to do. */
public class IdleAllocationContract extends TransportContract {
    private static final int ENDPOINTS = 8;
    private static final int REPEATS = 1_000;
    private static final long REPEAT_NS = 25_000_000;
    /** Less than an object for each endpoint in one of the looks at connections, of which there are some in that time. */
    private static final long BYTES_MAX = 8L * ENDPOINTS;

    /** Creates the suite. */
    protected IdleAllocationContract() {}

    @Test
    @Semantics("D-36")
    void shouldAllocateNothingInIdleTurns() {
        for (int i = 0; i < ENDPOINTS; i++) {
            connect();
        }
        progressUntilIdle();
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // Pings are messages of their own, now and then, and code that is not compiled yet allocates what compiled code
        // does not.
        for (int repeat = 0; repeat < REPEATS && least > BYTES_MAX; repeat++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < REPEAT_NS) {
                client().worker().progress();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            server().worker().progress();
        }
        assertTrue(least <= BYTES_MAX, "bytes=" + least + ", endpoints=" + ENDPOINTS);
    }
}
