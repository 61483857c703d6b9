package io.fairlead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ReconnectPolicyTest {
    private static final Duration FIRST = Duration.ofMillis(10);
    private static final Duration MAX = Duration.ofMillis(70);

    @Test
    void shouldDoubleThePauseUpToTheLongest() {
        ReconnectPolicy policy = ReconnectPolicy.afterFailure(FIRST, MAX);
        assertEquals(FIRST, policy.pause(0));
        assertEquals(Duration.ofMillis(20), policy.pause(1));
        assertEquals(Duration.ofMillis(40), policy.pause(2));
        assertEquals(MAX, policy.pause(3));
        assertEquals(MAX, policy.pause(Integer.MAX_VALUE));
        Duration year = Duration.ofDays(365);
        assertEquals(year, ReconnectPolicy.afterFailure(FIRST, year).pause(1000));
        assertEquals(FIRST, ReconnectPolicy.afterFailure(FIRST, FIRST).pause(5));
    }

    @Test
    void shouldTellFailuresFromGoodbyes() {
        assertTrue(ReconnectPolicy.afterFailure(FIRST, MAX).allows(EndpointState.FAILED, 1000));
        assertFalse(ReconnectPolicy.afterFailure(FIRST, MAX).allows(EndpointState.CLOSED, 0));
        assertTrue(ReconnectPolicy.always(FIRST, MAX).allows(EndpointState.CLOSED, 0));
        assertTrue(ReconnectPolicy.always(FIRST, MAX).allows(EndpointState.FAILED, 0));
        assertFalse(ReconnectPolicy.NEVER.allows(EndpointState.FAILED, 0));
        assertFalse(ReconnectPolicy.NEVER.allows(EndpointState.CLOSED, 0));
    }

    @Test
    void shouldLimitAttempts() {
        ReconnectPolicy policy = ReconnectPolicy.always(FIRST, MAX).attemptsAtMost(2);
        assertTrue(policy.allows(EndpointState.FAILED, 1));
        assertFalse(policy.allows(EndpointState.FAILED, 2));
        assertEquals("always, pauses 10 to 70 ms, 2 attempts", policy.toString());
        assertEquals("never", ReconnectPolicy.NEVER.toString());
    }

    @Test
    void shouldShortenPausesByUpToHalf() {
        ReconnectPolicy policy = ReconnectPolicy.always(FIRST, FIRST);
        long first = FIRST.toNanos();
        Set<Duration> pauses = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            Duration pause = policy.shortenedPause(0, new Random(seed));
            assertTrue(pause.toNanos() >= first / 2 && pause.toNanos() <= first, pause::toString);
            pauses.add(pause);
        }
        assertTrue(pauses.size() > 1, "every pause is the same");
        assertEquals(Duration.ZERO, ReconnectPolicy.NEVER.shortenedPause(0, new Random(1)));
    }

    @Test
    void shouldRefuseValuesOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> ReconnectPolicy.always(Duration.ZERO, MAX));
        assertThrows(IllegalArgumentException.class, () -> ReconnectPolicy.afterFailure(MAX, FIRST));
        Duration eternity = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        for (Duration first : new Duration[] {FIRST, eternity}) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> ReconnectPolicy.afterFailure(first, eternity));
            assertEquals("pause too long: max=9223372036854775807 s, at most 365 days", refused.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> ReconnectPolicy.always(eternity, MAX));
        assertThrows(
                IllegalArgumentException.class,
                () -> ReconnectPolicy.always(FIRST, MAX).attemptsAtMost(0));
        assertThrows(IllegalArgumentException.class, () -> ReconnectPolicy.NEVER.attemptsAtMost(1));
    }
}
