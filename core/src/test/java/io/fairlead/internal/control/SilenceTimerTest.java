package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SilenceTimerTest {
    private final SilenceTimer timer = new SilenceTimer(400, 0);

    @Test
    void shouldTolerateSilenceUpToTheTimeout() {
        assertFalse(timer.isExpired(400));
        assertTrue(timer.isExpired(401));
    }

    @Test
    void shouldStartAgainWhenThePeerIsHeard() {
        timer.recordHeard();
        assertFalse(timer.isExpired(1000));
        assertFalse(timer.isExpired(1400));
        assertTrue(timer.isExpired(1401));
    }

    @Test
    void shouldExcuseTheSilenceOfItsOwnStandstill() {
        timer.excuse(5000);
        assertFalse(timer.isExpired(5400));
        assertTrue(timer.isExpired(5401));
    }

    @Test
    void shouldAskFourTimesPerTimeout() {
        assertFalse(timer.tryBeginPing(99));
        assertTrue(timer.tryBeginPing(100));
        assertFalse(timer.tryBeginPing(199));
        assertTrue(timer.tryBeginPing(200));
    }
}
