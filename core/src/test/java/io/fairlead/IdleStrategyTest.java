package io.fairlead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class IdleStrategyTest {
    private final AtomicInteger waits = new AtomicInteger();
    /** Counts what strategies ask of it. */
    private final Worker worker = (Worker)
            Proxy.newProxyInstance(Worker.class.getClassLoader(), new Class<?>[] {Worker.class}, (_, method, _) -> {
                assertEquals("await", method.getName());
                waits.incrementAndGet();
                return null;
            });

    @Test
    void shouldWaitAfterAsManyIdleTurnsAsWereAskedFor() {
        IdleStrategy idle = new BackOff(2, 3, () -> 0);
        for (int i = 0; i < 5; i++) {
            idle.idle(worker, 0);
        }
        assertEquals(0, waits.get());
        idle.idle(worker, 0);
        assertEquals(1, waits.get());
    }

    @Test
    void shouldWaitOnceYieldsHaveTakenTooLong() {
        AtomicLong nowNs = new AtomicLong();
        IdleStrategy idle = new BackOff(0, 1_000_000, nowNs::get);
        idle.idle(worker, 0);
        nowNs.set(100_000);
        idle.idle(worker, 0);
        assertEquals(0, waits.get());
        nowNs.set(100_001);
        idle.idle(worker, 0);
        assertEquals(1, waits.get());
    }

    @Test
    void shouldBeginAnewAfterAnEvent() {
        IdleStrategy idle = new BackOff(0, 1, () -> 0);
        idle.idle(worker, 0);
        idle.idle(worker, 1);
        idle.idle(worker, 0);
        assertEquals(0, waits.get());
    }

    @Test
    void shouldWaitAtOnceWithoutSpinsAndYields() {
        IdleStrategy.backOff(0, 0).idle(worker, 0);
        assertEquals(1, waits.get());
    }

    @Test
    void shouldRejectNegativeNumbersOfTurns() {
        IllegalArgumentException rejected =
                assertThrows(IllegalArgumentException.class, () -> IdleStrategy.backOff(-1, 0));
        assertTrue(rejected.getMessage().contains("spins=-1"), rejected.getMessage());
        assertThrows(IllegalArgumentException.class, () -> IdleStrategy.backOff(0, -1));
    }
}
