package io.fairlead.internal.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1000000",
        "2000, 2000000000",
        "1 ns, 1",
        "2nanos, 2",
        "1 nanosecond, 1",
        "3 nanoseconds, 3",
        "1us, 1000",
        "1 micros, 1000",
        "1 microsecond, 1000",
        "2 microseconds, 2000",
        "500 ms, 500000000",
        "500ms, 500000000",
        "5 millis, 5000000",
        "1 millisecond, 1000000",
        "2 milliseconds, 2000000",
        "2s, 2000000000",
        "1 second, 1000000000",
        "2 seconds, 2000000000",
        "1.5 s, 1500000000",
        "0.000000001 s, 1",
        "1 m, 60000000000",
        "1 minute, 60000000000",
        "2 minutes, 120000000000",
        "1 h, 3600000000000",
        "1 hour, 3600000000000",
        "2 hours, 7200000000000",
        "1d, 86400000000000",
        "1 day, 86400000000000",
        "2 days, 172800000000000",
        "0.5 ns, 0",
        "-1 s, -1000000000",
        "999999999999999999 d, 9223372036854775807"
    })
    void shouldReadNumberAndUnit(String text, long ns) {
        assertEquals(Duration.ofNanos(ns), DurationText.parse(" " + text + "\t"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "s",
                "2x",
                "2 S",
                "0x10",
                "1 s 2",
                "1,5 s",
                "PT2S",
                "Infinity",
                "2 s s",
                "12345678901234567890",
                "1min",
                "NaN",
                "٣ s"
            })
    void shouldRefuseWhatIsNoDuration(String text) {
        assertThrows(IllegalArgumentException.class, () -> DurationText.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 ms",
        "1, 1 ns",
        "1500, 1500 ns",
        "1000, 1 us",
        "2500000, 2500 us",
        "100000000, 100 ms",
        "2000000000, 2 s",
        "90000000000, 90 s",
        "60000000000, 1 minute",
        "600000000000, 10 minutes",
        "7200000000000, 2 h",
        "172800000000000, 48 h"
    })
    void shouldWriteTheLargestUnitThatLeavesAWholeNumber(long ns, String text) {
        assertEquals(text, DurationText.format(Duration.ofNanos(ns)));
    }

    @Test
    void shouldWriteDurationsBeyondNanoseconds() {
        assertEquals("9223372036854775807 s", DurationText.format(Duration.ofSeconds(Long.MAX_VALUE, 1)));
        assertEquals("-9223372036854775808 s", DurationText.format(Duration.ofSeconds(Long.MIN_VALUE, 1)));
        assertEquals(DurationText.LONGEST, DurationText.parse(DurationText.format(Duration.ofSeconds(Long.MAX_VALUE))));
    }

    @Test
    void shouldReadWhatItWrote() {
        Random random = new Random(1);
        for (int round = 0; round < 10_000; round++) {
            long ns = (random.nextLong() >>> 1 + random.nextInt(62)) / 1000 * 1000
                    + random.nextInt(2) * random.nextInt(1000);
            Duration duration = Duration.ofNanos(ns);
            assertEquals(duration, DurationText.parse(DurationText.format(duration)));
        }
    }
}
