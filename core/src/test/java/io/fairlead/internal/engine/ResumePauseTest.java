package io.fairlead.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ResumePauseTest {
    private static final long SECOND = 1_000_000_000;

    private final ResumePause pause = new ResumePause(0);

    @Test
    void shouldNotPauseAfterAQuietTime() {
        assertEquals(0, pause.afterLossNs(10 * SECOND));
    }

    @Test
    void shouldSpaceLossesThatFollowEachOtherUpToALimit() {
        long nowNs = 0;
        long last = -1;
        for (int i = 0; i < 10; i++) {
            pause.resumed(nowNs);
            long next = pause.afterLossNs(++nowNs);
            assertTrue(next > last || next == ResumePause.FLAPPING_MAX_NS, "pause " + i + ": " + next + " ns");
            last = next;
        }
        assertEquals(ResumePause.FLAPPING_MAX_NS, last);
    }

    @Test
    void shouldForgetLossesWithTime() {
        long nowNs = 0;
        for (int i = 0; i < 10; i++) {
            pause.resumed(nowNs);
            assertTrue(pause.afterLossNs(++nowNs) > 0);
        }
        assertEquals(0, pause.afterLossNs(10 * SECOND));
    }

    @Test
    void shouldDoubleThePauseOfFailedAttemptsUntilTheNextLoss() {
        long _ = pause.afterLossNs(1);
        long first = pause.afterFailureNs();
        assertEquals(2 * first, pause.afterFailureNs());
        for (int i = 0; i < 20; i++) {
            assertTrue(pause.afterFailureNs() <= ResumePause.FAILURE_MAX_NS);
        }
        assertEquals(ResumePause.FAILURE_MAX_NS, pause.afterFailureNs());
        long _ = pause.afterLossNs(2);
        assertEquals(first, pause.afterFailureNs());
    }

    @Test
    void shouldGiveEachAttemptTwiceTheTimeOfTheOneBeforeThatFailed() {
        long expected = ResumePause.ATTEMPT_MIN_NS;
        for (int i = 0; i < 10; i++) {
            assertEquals(expected, pause.attemptNs(i * SECOND));
            expected = Math.min(ResumePause.ATTEMPT_MAX_NS, 2 * expected);
        }
        assertEquals(ResumePause.ATTEMPT_MAX_NS, expected);
    }

    @Test
    void shouldGiveAnAttemptSeveralTimesWhatTheLastOneTook() {
        long took = ResumePause.ATTEMPT_MIN_NS;
        long _ = pause.attemptNs(0);
        pause.resumed(took);
        assertEquals(4 * took, pause.attemptNs(SECOND));
        pause.resumed(SECOND + 1);
        assertEquals(ResumePause.ATTEMPT_MIN_NS, pause.attemptNs(2 * SECOND));
        pause.resumed(20 * SECOND);
        assertEquals(ResumePause.ATTEMPT_MAX_NS, pause.attemptNs(30 * SECOND));
    }
}
