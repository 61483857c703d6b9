package io.fairlead.internal.events;

import io.fairlead.internal.units.DurationText;
import java.util.Collection;
import java.util.Comparator;
import java.util.OptionalLong;
import java.util.Set;
import jdk.jfr.SettingControl;

/**
 * The setting {@code minimum} of an event whose duration was measured elsewhere, to which the flight recorder's own
 * threshold does not apply. It has the format of the recorder's durations, such as {@code 10 ms}.
 */
final class LeastDuration extends SettingControl {
    /** The default of the setting. */
    static final String DEFAULT = "10 ms";

    private volatile String value = DEFAULT;
    private volatile long leastNs = DurationText.parse(DEFAULT).toNanos();

    LeastDuration() {}

    boolean isReached(long durationNs) {
        return durationNs >= leastNs;
    }

    /** Several recordings get the lowest of their values. */
    @Override
    public String combine(Set<String> settingValues) {
        return shortest(settingValues);
    }

    static String shortest(Collection<String> texts) {
        return texts.stream()
                .filter(text -> nanos(text).isPresent())
                .min(Comparator.comparingLong(text -> nanos(text).orElseThrow()))
                .orElse(DEFAULT);
    }

    /** The recorder expects that an invalid value is ignored. */
    @Override
    public void setValue(String settingValue) {
        nanos(settingValue).ifPresent(nanos -> {
            value = settingValue;
            leastNs = nanos;
        });
    }

    @Override
    public String getValue() {
        return value;
    }

    /** Empty for an invalid or negative duration. */
    private static OptionalLong nanos(String text) {
        try {
            long nanos = DurationText.parse(text).toNanos();
            return nanos < 0 ? OptionalLong.empty() : OptionalLong.of(nanos);
        } catch (IllegalArgumentException none) {
            return OptionalLong.empty();
        }
    }
}
