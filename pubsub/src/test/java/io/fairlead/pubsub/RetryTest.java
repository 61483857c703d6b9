package io.fairlead.pubsub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RetryTest {
    private static final long MS = 1_000_000;

    @Test
    void shouldDoubleUpToTheLongestWaitLessARandomPart() {
        Retry retry = new Retry(Duration.ofMillis(10), Duration.ofMillis(100), new Random(1));
        for (long base : new long[] {10, 20, 40, 80, 100, 100, 100}) {
            long delay = retry.delayNs();
            assertTrue(delay <= base * MS && delay >= base * MS / 2, "base=" + base + " ms, delay=" + delay + " ns");
        }
    }

    @Test
    void shouldStartAnewAfterAReset() {
        Retry retry = new Retry(Duration.ofMillis(10), Duration.ofMillis(100), new Random(1));
        for (int i = 0; i < 10; i++) {
            retry.delayNs();
        }
        retry.reset();
        assertTrue(retry.delayNs() <= 10 * MS);
    }

    @Test
    void shouldSpreadTheWaits() {
        Set<Long> delays = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            delays.add(new Retry(Duration.ofMillis(10), Duration.ofMillis(10), new Random(seed)).delayNs());
        }
        assertEquals(100, delays.size());
    }
}
