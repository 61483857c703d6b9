package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.config.ConfigKeys;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a worker allocates that has connections and nothing to do. */
public class IdleAllocationContract extends TransportContract {
    private static final int ENDPOINTS = 8;
    private static final int REPEATS = 30;
    /** Longer than the period of what a worker does now and then. */
    private static final long REPEAT_NS = 1_100_000_000;

    /** Less than an object for each endpoint in one of the looks at connections, of which there are some in that time. */
    private static final long BYTES_MAX = 8L * ENDPOINTS;

    /** Creates the suite. */
    protected IdleAllocationContract() {}

    @Test
    @Semantics("D-36")
    void shouldAllocateNothingInIdleTurns() {
        // Pings are messages of their own.
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMinutes(10));
        for (int i = 0; i < ENDPOINTS; i++) {
            connect();
        }
        progressUntilIdle();
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // Code that is not compiled yet allocates what compiled code does not.
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
