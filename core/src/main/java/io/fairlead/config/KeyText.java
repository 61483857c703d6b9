package io.fairlead.config;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** What the text of a configuration value may be, and what is said of one that may not. */
final class KeyText {
    private KeyText() {}

    /** Reads text, and answers what is wrong with it rather than why the JDK could not read it. */
    static <T> T read(String text, String complaint, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException(complaint, refused);
        }
    }

    static <C extends Comparable<C>> C within(C value, C min, C max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException("is out of range");
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
}
