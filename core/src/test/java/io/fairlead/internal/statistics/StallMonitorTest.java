package io.fairlead.internal.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class StallMonitorTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final StallMonitor watch = new StallMonitor(0);

    @Test
    void shouldNotBlameANewWorkerForTheTimeBeforeItsFirstProgress() {
        assertEquals(0, watch.gapNs(5 * SECOND_NS));
        watch.recordProgress(5 * SECOND_NS);
        assertEquals(0, watch.gapNs(5 * SECOND_NS));
    }

    @Test
    void shouldTellTheGapThatRunsAndRememberTheLongest() {
        watch.recordProgress(0);
        assertEquals(3 * SECOND_NS, watch.gapNs(3 * SECOND_NS));
        watch.recordProgress(3 * SECOND_NS);
        watch.recordProgress(4 * SECOND_NS);
        assertEquals(3 * SECOND_NS, watch.gapNs(4 * SECOND_NS));
        assertEquals(0, watch.stallNs(4 * SECOND_NS));
        assertEquals(2 * SECOND_NS, watch.stallNs(6 * SECOND_NS));
        watch.suspend();
        assertEquals(0, watch.stallNs(6 * SECOND_NS));
    }

    @Test
    void shouldLeaveOutWaits() {
        watch.recordProgress(0);
        watch.suspend();
        assertEquals(0, watch.gapNs(9 * SECOND_NS));
        watch.recordProgress(9 * SECOND_NS);
        assertEquals(0, watch.gapNs(9 * SECOND_NS));
        watch.recordProgress(10 * SECOND_NS);
        assertEquals(SECOND_NS, watch.gapNs(10 * SECOND_NS));
    }

    @Test
    void shouldForgetAGapAfterTwoMinutesAndNotBeforeOne() {
        watch.recordProgress(0);
        watch.recordProgress(5 * SECOND_NS);
        for (int second = 6; second <= 65; second++) {
            watch.recordProgress(second * SECOND_NS);
        }
        assertEquals(5 * SECOND_NS, watch.gapNs(65 * SECOND_NS));
        for (int second = 66; second <= 125; second++) {
            watch.recordProgress(second * SECOND_NS);
        }
        assertEquals(SECOND_NS, watch.gapNs(125 * SECOND_NS));
    }

    @Test
    void shouldForgetEverythingAfterALongWait() {
        watch.recordProgress(0);
        watch.recordProgress(5 * SECOND_NS);
        watch.suspend();
        watch.recordProgress(1000 * SECOND_NS);
        assertEquals(0, watch.gapNs(1000 * SECOND_NS));
    }
}
