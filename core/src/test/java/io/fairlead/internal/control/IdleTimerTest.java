package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class IdleTimerTest {
    private final IdleTimer timer = new IdleTimer(400, 4000, 0);

    @Test
    void shouldMeasureTheSilence() {
        assertEquals(0, timer.lookNs(0));
        assertEquals(401, timer.lookNs(401));
        assertEquals(401, timer.stalledNs(401));
    }

    @Test
    void shouldStartAgainWhenThePeerIsHeard() {
        timer.recordReceived();
        assertEquals(0, timer.lookNs(1000));
        assertEquals(401, timer.lookNs(1401));
        assertEquals(401, timer.stalledNs(1401));
    }

    @Test
    void shouldCountAQuarterOfATimeoutForAStandstillOfItsOwn() {
        timer.excuse(5000);
        assertEquals(100, timer.lookNs(5000));
        assertEquals(1000, timer.stalledNs(5000));
        assertEquals(501, timer.lookNs(5401));
        assertEquals(1401, timer.stalledNs(5401));
    }

    @Test
    void shouldCountAllOfShortTurns() {
        for (int turn = 1; turn <= 5; turn++) {
            timer.excuse(100);
            assertEquals(turn * 100, timer.lookNs(turn * 100));
        }
    }

    @Test
    void shouldCountEachLongTurn() {
        for (int turn = 1; turn <= 5; turn++) {
            timer.excuse(1000);
            assertEquals(turn * 100, timer.lookNs(turn * 1000));
            assertEquals(turn * 1000, timer.stalledNs(turn * 1000));
        }
    }

    @Test
    void shouldAskFourTimesPerTimeout() {
        assertFalse(timer.tryBeginPing(99));
        assertTrue(timer.tryBeginPing(100));
        assertFalse(timer.tryBeginPing(199));
        assertTrue(timer.tryBeginPing(200));
    }
}
