package io.fairlead.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class LineLimitTest {
    /** Times wrap around. */
    private static final long START_NS = Long.MAX_VALUE - 1;

    private final LineLimit limit = new LineLimit();

    private void fill(long nowNs) {
        for (int line = 0; line < LineLimit.LINES_MAX; line++) {
            assertTrue(limit.tryWrite(nowNs), "a line within the limit");
        }
    }

    @Test
    void shouldLeaveOutWhatIsBeyondTheLimitOfAPeriod() {
        fill(START_NS);
        assertFalse(limit.tryWrite(START_NS));
        assertFalse(limit.tryWrite(START_NS + LineLimit.PERIOD_NS - 1));
        fill(START_NS + LineLimit.PERIOD_NS);
        assertFalse(limit.tryWrite(START_NS + LineLimit.PERIOD_NS));
    }

    @Test
    void shouldTellHowManyWereLeftOutOnceThePeriodIsOver() {
        assertEquals(0, limit.takeLeftOut(START_NS));
        fill(START_NS);
        assertEquals(0, limit.takeLeftOut(START_NS + LineLimit.PERIOD_NS), "none was left out");
        fill(START_NS + LineLimit.PERIOD_NS);
        assertFalse(limit.tryWrite(START_NS + LineLimit.PERIOD_NS));
        assertFalse(limit.tryWrite(START_NS + LineLimit.PERIOD_NS + 1));
        assertEquals(0, limit.takeLeftOut(START_NS + 2 * LineLimit.PERIOD_NS - 1));
        assertEquals(2, limit.takeLeftOut(START_NS + 2 * LineLimit.PERIOD_NS));
        assertEquals(0, limit.takeLeftOut(START_NS + 2 * LineLimit.PERIOD_NS), "they are told of once");
    }

    @Test
    void shouldKeepTheNumberAcrossPeriods() {
        fill(START_NS);
        assertFalse(limit.tryWrite(START_NS));
        // Another period begins before anybody has asked.
        fill(START_NS + LineLimit.PERIOD_NS);
        assertFalse(limit.tryWrite(START_NS + LineLimit.PERIOD_NS));
        assertEquals(2, limit.takeLeftOut(START_NS + 2 * LineLimit.PERIOD_NS));
    }
}
