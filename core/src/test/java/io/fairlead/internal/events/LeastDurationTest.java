package io.fairlead.internal.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class LeastDurationTest {
    private final LeastDuration least = new LeastDuration();

    @Test
    void shouldBeTenMillisecondsWhereNobodySetsIt() {
        assertTrue(least.isReached(10_000_000));
        assertFalse(least.isReached(9_999_999));
        assertEquals("10 ms", least.getValue());
    }

    @ParameterizedTest
    @CsvSource({
        "0ns, 0",
        "7 ns, 7",
        "3us, 3000",
        "' 2 ms ', 2000000",
        "5, 5000000",
        "1 s, 1000000000",
        "1m, 60000000000"
    })
    void shouldTakeDurationsAsTheRecorderWritesThem(String text, long nanos) {
        least.setValue(text);
        assertTrue(least.isReached(nanos));
        assertFalse(least.isReached(nanos - 1));
        assertEquals(text, least.getValue());
    }

    @ParameterizedTest
    @CsvSource({"soon", "''", "-1 ms", "5 weeks"})
    void shouldPassOverWhatIsNone(String text) {
        least.setValue(text);
        assertEquals("10 ms", least.getValue());
        assertFalse(least.isReached(9_999_999));
    }

    @Test
    void shouldGiveSeveralRecordingsWhatTheLeastDemandingAsksFor() {
        assertEquals("30 us", least.combine(Set.of("1 s", "30 us", "2 ms", "nonsense")));
        assertEquals("10 ms", least.combine(Set.of("nonsense")));
    }
}
