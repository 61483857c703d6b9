package io.fairlead.config;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Checks the text of a configuration value. A refusal states the fault of the text, as the second half of a sentence.
 */
final class KeyText {
    static final String NO_DURATION = "is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d)";
    static final String NO_SIZE = "is not a size (units are case-sensitive: B, KiB, MiB, GiB, kB, MB, GB)";
    static final String OUT_OF_RANGE = "is out of range";

    private KeyText() {}

    /**
     * Parses text. A failure has the given complaint instead of the parser's message, which is about Java, not about
     * configuration.
     */
    static <T> T read(String text, String complaint, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException(complaint, refused);
        }
    }

    static <C extends Comparable<C>> C within(C value, C min, C max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(OUT_OF_RANGE);
        }
        return value;
    }

    static String line(String text, int lengthMax) {
        if (text.chars().anyMatch(c -> Character.isISOControl(c) || c == '\u2028' || c == '\u2029')) {
            throw new IllegalArgumentException("contains a control character");
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > lengthMax) {
            throw new IllegalArgumentException("is too long");
        }
        return text;
    }

    static String word(String text, List<String> words) {
        String word = text.strip().toLowerCase(Locale.ROOT);
        if (!words.contains(word)) {
            throw new IllegalArgumentException("is none of the choices");
        }
        return word;
    }

    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static String words(List<String> words) {
        int last = words.size() - 1;
        return last < 1 ? String.join("", words) : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    /** The type of a key's values, in words. */
    static String type(Class<?> type, String unit) {
        if (type == Duration.class) {
            return "duration (a bare number is " + unit + ")";
        }
        if (Number.class.isAssignableFrom(type)) {
            return unit.isEmpty() ? "number" : "size (a bare number is " + unit + ")";
        }
        return "text";
    }
}
