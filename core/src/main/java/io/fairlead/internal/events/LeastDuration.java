package io.fairlead.internal.events;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.SettingControl;

/**
 * The setting {@code minimum} of an event whose duration was measured elsewhere, for which the flight recorder's own threshold does
 * not work. Written as the recorder writes durations, such as {@code 10 ms}.
 */
final class LeastDuration extends SettingControl {
    /** Where the setting is left alone. */
    static final String DEFAULT = "10 ms";

    private static final Pattern FORM = Pattern.compile("(\\d{1,15})\\s*(ns|us|ms|s|m|h|d)");
    private static final Map<String, TimeUnit> UNITS = Map.of(
            "ns", TimeUnit.NANOSECONDS,
            "us", TimeUnit.MICROSECONDS,
            "ms", TimeUnit.MILLISECONDS,
            "s", TimeUnit.SECONDS,
            "m", TimeUnit.MINUTES,
            "h", TimeUnit.HOURS,
            "d", TimeUnit.DAYS);

    private volatile String value = DEFAULT;
    private volatile long leastNs = nanos(DEFAULT);

    LeastDuration() {}

    boolean isReached(long durationNs) {
        return durationNs >= leastNs;
    }

    /** Several recordings get what the least demanding asks for. */
    @Override
    public String combine(Set<String> settingValues) {
        return shortest(settingValues);
    }

    static String shortest(Collection<String> texts) {
        return texts.stream()
                .filter(text -> FORM.matcher(text.strip()).matches())
                .min(Comparator.comparingLong(LeastDuration::nanos))
                .orElse(DEFAULT);
    }

    /** The recorder expects that a value which makes no sense is passed over. */
    @Override
    public void setValue(String settingValue) {
        if (FORM.matcher(settingValue.strip()).matches()) {
            value = settingValue;
            leastNs = nanos(settingValue);
        }
    }

    @Override
    public String getValue() {
        return value;
    }

    private static long nanos(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a duration: '" + text + "', such as " + DEFAULT);
        }
        TimeUnit unit = UNITS.getOrDefault(matcher.group(2), TimeUnit.NANOSECONDS);
        return unit.toNanos(Long.parseLong(matcher.group(1)));
    }
}
