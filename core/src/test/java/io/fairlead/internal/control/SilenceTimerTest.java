package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SilenceTimerTest {
    private final SilenceTimer timer = new SilenceTimer(400, 0);

    @Test
    void shouldMeasureTheSilence() {
        assertEquals(0, timer.lookNs(0));
        assertEquals(401, timer.lookNs(401));
    }

    @Test
    void shouldStartAgainWhenThePeerIsHeard() {
        timer.recordHeard();
        assertEquals(0, timer.lookNs(1000));
        assertEquals(401, timer.lookNs(1401));
    }

    @Test
    void shouldExcuseTheSilenceOfItsOwnStandstill() {
        timer.excuse(5000);
        assertEquals(0, timer.lookNs(5000));
        assertEquals(401, timer.lookNs(5401));
    }

    @Test
    void shouldAskFourTimesPerTimeout() {
        assertFalse(timer.tryBeginPing(99));
        assertTrue(timer.tryBeginPing(100));
        assertFalse(timer.tryBeginPing(199));
        assertTrue(timer.tryBeginPing(200));
    }
}
