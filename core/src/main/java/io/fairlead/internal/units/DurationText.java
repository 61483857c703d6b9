package io.fairlead.internal.units;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValueFactory;
import java.time.Duration;

/** Durations in HOCON's units: {@code 2 s}, {@code 500ms}, {@code 1.5 minutes}. */
public final class DurationText {
    /** The maximum of 63 bits of nanoseconds: 292 years. */
    public static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private static final String PATH = "duration";

    private DurationText() {}

    /**
     * Parses a duration; a bare number is milliseconds. More than 292 years becomes 292 years, and fractions of a
     * nanosecond are truncated.
     *
     * @param text a number and a unit of HOCON's
     * @return the duration, negative if the number is
     * @throws IllegalArgumentException if the text is malformed
     */
    public static Duration parse(String text) {
        try {
            return ConfigValueFactory.fromAnyRef(text).atKey(PATH).getDuration(PATH);
        } catch (ConfigException refused) {
            throw new IllegalArgumentException("not a duration: text=" + text, refused);
        }
    }

    /**
     * Formats a duration in the largest unit that gives a whole number.
     *
     * @param duration any; beyond 292 years the part below a second is truncated
     * @return text that {@link #parse} accepts
     */
    public static String format(Duration duration) {
        if (duration.isZero()) {
            return "0 ms";
        }
        if (duration.equals(Duration.ofHours(duration.toHours()))) {
            return duration.toHours() + " h";
        }
        if (duration.equals(Duration.ofMinutes(duration.toMinutes()))) {
            // HOCON has "m" for it, which is too similar to "ms", and no "min".
            return duration.toMinutes() + (duration.toMinutes() == 1 ? " minute" : " minutes");
        }
        if (duration.abs().compareTo(LONGEST) > 0 || duration.equals(Duration.ofSeconds(duration.toSeconds()))) {
            return duration.toSeconds() + " s";
        }
        if (duration.equals(Duration.ofMillis(duration.toMillis()))) {
            return duration.toMillis() + " ms";
        }
        long ns = duration.toNanos();
        return ns % 1000 == 0 ? ns / 1000 + " us" : ns + " ns";
    }
}
