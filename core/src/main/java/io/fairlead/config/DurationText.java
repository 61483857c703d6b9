package io.fairlead.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 2 s}, {@code 500ms}, {@code 1.5 min}. */
final class DurationText {
    private static final Pattern FORM = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?)\\s*([a-z]*)");

    private static final long MICRO_NS = 1_000L;
    private static final long MILLI_NS = 1_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MINUTE_NS = 60 * SECOND_NS;
    private static final long HOUR_NS = 60 * MINUTE_NS;
    private static final long DAY_NS = 24 * HOUR_NS;

    private DurationText() {}

    /**
     * Reads a duration; a bare number is milliseconds.
     *
     * @throws IllegalArgumentException if the text is none, {@link ArithmeticException} if it is no whole number of nanoseconds in 64 bits
     */
    static Duration parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException("not a number with a unit");
        }
        long unit = switch (form.group(2)) {
            case "ns", "nanos", "nanosecond", "nanoseconds" -> 1;
            case "us", "micros", "microsecond", "microseconds" -> MICRO_NS;
            case "", "ms", "millis", "millisecond", "milliseconds" -> MILLI_NS;
            case "s", "second", "seconds" -> SECOND_NS;
            case "m", "min", "minute", "minutes" -> MINUTE_NS;
            case "h", "hour", "hours" -> HOUR_NS;
            case "d", "day", "days" -> DAY_NS;
            default -> throw new IllegalArgumentException("unknown unit: " + form.group(2));
        };
        return Duration.ofNanos(
                new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact());
    }

    /** Writes a duration in the largest unit that leaves a whole number. */
    static String format(Duration duration) {
        long ns = duration.toNanos();
        if (ns == 0) {
            return "0 ms";
        }
        if (ns % HOUR_NS == 0) {
            return ns / HOUR_NS + " h";
        }
        if (ns % MINUTE_NS == 0) {
            return ns / MINUTE_NS + " min";
        }
        if (ns % SECOND_NS == 0) {
            return ns / SECOND_NS + " s";
        }
        if (ns % MILLI_NS == 0) {
            return ns / MILLI_NS + " ms";
        }
        return ns % MICRO_NS == 0 ? ns / MICRO_NS + " us" : ns + " ns";
    }
}
