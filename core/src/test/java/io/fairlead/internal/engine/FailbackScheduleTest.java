package io.fairlead.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When an endpoint tries to go back to its lanes. */
final class FailbackScheduleTest {
    private static final long FIRST = 100;

    private final FailbackSchedule schedule = new FailbackSchedule(FIRST);
    private long nowNs = -5;

    @Test
    void shouldTryOnceAfterTheDelay() {
        assertFalse(schedule.isWaiting());
        assertFalse(schedule.tryTake(nowNs));
        schedule.leave(nowNs);
        assertTrue(schedule.isWaiting());
        assertFalse(schedule.tryTake(nowNs + FIRST - 1));
        assertTrue(schedule.tryTake(nowNs + FIRST));
        assertFalse(schedule.tryTake(nowNs + FIRST));
        schedule.comeBack(nowNs + FIRST);
        assertFalse(schedule.isWaiting());
    }

    @Test
    void shouldDoubleTheDelayWithEachFailureToALimit() {
        schedule.leave(nowNs);
        for (int i = 0; i < 10; i++) {
            assertEquals(FIRST << Math.min(i, 6), delay());
            schedule.stay(nowNs);
        }
    }

    @Test
    void shouldDoubleTheDelayForLanesThatFailAgain() {
        for (int i = 0; i < 10; i++) {
            schedule.leave(nowNs);
            assertEquals(FIRST << Math.min(i, 6), delay());
            schedule.comeBack(nowNs);
        }
    }

    @Test
    void shouldForgetFailuresInTime() {
        schedule.leave(nowNs);
        for (int i = 0; i < 6; i++) {
            assertEquals(FIRST << i, delay());
            schedule.stay(nowNs);
        }
        assertEquals(FIRST << 6, delay());
        schedule.comeBack(nowNs);
        nowNs += FIRST << 6;
        schedule.leave(nowNs);
        // One less for the time on the lanes, and one more for the lanes that have failed again.
        assertEquals(FIRST << 6, delay());
        schedule.comeBack(nowNs);
        nowNs += FIRST << 10;
        schedule.leave(nowNs);
        assertEquals(FIRST << 1, delay());
    }

    @Test
    void shouldNeverTryWithoutADelay() {
        FailbackSchedule never = new FailbackSchedule(0);
        never.leave(nowNs);
        assertFalse(never.isWaiting());
        assertFalse(never.tryTake(nowNs + (1L << 60)));
    }

    /** Waits until an attempt is due. */
    private long delay() {
        long waited = 0;
        while (!schedule.tryTake(nowNs)) {
            nowNs++;
            waited++;
        }
        return waited;
    }
}
