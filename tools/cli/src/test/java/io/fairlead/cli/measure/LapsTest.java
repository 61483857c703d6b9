package io.fairlead.cli.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class LapsTest {
    @Test
    void shouldRecordOneTimePerBatch() {
        Laps laps = new Laps(4, 1);
        laps.start();
        for (int i = 0; i < 3; i++) {
            laps.lap();
        }
        assertEquals(0, laps.medianUs(), "three operations of a batch of four are no time yet");
        laps.lap();
        laps.stop(4);
        assertTrue(laps.medianUs() > 0);
        assertTrue(laps.meanUs() >= laps.medianUs() * 0.99, "all that took part of the round's time is in its mean");
    }

    @Test
    void shouldHalveRoundTrips() {
        Laps laps = new Laps(1, 2);
        laps.start();
        laps.lap();
        laps.stop(1);
        assertEquals(laps.tookNs() / 2000.0, laps.meanUs(), 1e-9);
    }

    @Test
    void shouldKeepOnlyRoundsThatCount() {
        Laps laps = new Laps(1, 1);
        laps.start();
        laps.lap();
        laps.stop(1);
        assertEquals(0, laps.percentileUs(100));
        laps.keep();
        assertEquals(laps.medianUs(), laps.percentileUs(50));
    }

    @Test
    void shouldForgetTheRoundBefore() {
        Laps laps = new Laps(1, 1);
        laps.start();
        laps.lap();
        laps.stop(1);
        laps.start();
        assertEquals(0, laps.medianUs());
    }
}
