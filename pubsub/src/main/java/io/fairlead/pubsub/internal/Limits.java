package io.fairlead.pubsub.internal;

import io.fairlead.internal.names.ShownText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;

/** Checks of options and names, each with a message that names the value, the range and the remedy. */
public final class Limits {
    /** The longest topic name; it must fit a join message. */
    public static final int TOPIC_NAME_BYTES_MAX = 200;
    /** The longest subscriber name. */
    public static final int SUBSCRIBER_NAME_BYTES_MAX = 64;
    /** The most subscriptions of one subscriber: each has a number in every frame. */
    public static final int SUBSCRIPTIONS_MAX = Wire.STREAM_MAX;

    private Limits() {}

    public static int range(String name, int value, int min, int max, String unit) {
        return (int) range(name, (long) value, min, max, unit);
    }

    public static long range(String name, long value, long min, long max, String unit) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("option out of range: " + name + "=" + value + ", allowed " + min
                    + " to " + max + (unit.isEmpty() ? "" : " " + unit));
        }
        return value;
    }

    public static Duration duration(String name, Duration value, Duration min, Duration max) {
        Objects.requireNonNull(value, name);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException("option out of range: " + name + "=" + text(value) + ", allowed "
                    + min.toMillis() + " to " + max.toMillis() + " ms");
        }
        return value;
    }

    /** In milliseconds, of which the longest durations have more than a long counts. */
    private static String text(Duration value) {
        boolean countable = Math.abs(value.toSeconds() / 2) < Long.MAX_VALUE / 2000;
        return countable ? value.toMillis() + " ms" : value.toString();
    }

    public static String topicName(String name) {
        return name("topic name", name, 1, TOPIC_NAME_BYTES_MAX);
    }

    public static String subscriberName(String name) {
        return name("subscriber name", name, 0, SUBSCRIBER_NAME_BYTES_MAX);
    }

    private static String name(String what, String name, int minBytes, int maxBytes) {
        Objects.requireNonNull(name, what);
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < minBytes || bytes > maxBytes) {
            throw new IllegalArgumentException(what + " out of range: length=" + bytes + ", allowed " + minBytes
                    + " to " + maxBytes + " bytes of UTF-8");
        }
        int control = ShownText.commandAt(name);
        if (control >= 0) {
            throw new IllegalArgumentException(what + " holds a control character: index=" + control + ", code="
                    + name.codePointAt(control) + "; use printable characters");
        }
        return name;
    }
}
