package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LivenessTest {
    private final Liveness liveness = new Liveness(400, 0);

    @Test
    void shouldTolerateSilenceUpToTheTimeout() {
        assertFalse(liveness.silent(400));
        assertTrue(liveness.silent(401));
    }

    @Test
    void shouldStartAgainWhenThePeerIsHeard() {
        liveness.heard();
        assertFalse(liveness.silent(1000));
        assertFalse(liveness.silent(1400));
        assertTrue(liveness.silent(1401));
    }

    @Test
    void shouldExcuseTheSilenceOfItsOwnStandstill() {
        liveness.excuse(5000);
        assertFalse(liveness.silent(5400));
        assertTrue(liveness.silent(5401));
    }

    @Test
    void shouldAskFourTimesPerTimeout() {
        assertFalse(liveness.due(99));
        assertTrue(liveness.due(100));
        assertFalse(liveness.due(199));
        assertTrue(liveness.due(200));
    }
}
