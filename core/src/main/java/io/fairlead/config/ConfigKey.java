package io.fairlead.config;

import io.fairlead.internal.names.ShownText;
import io.fairlead.internal.units.DurationText;
import io.fairlead.internal.units.SizeText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A configuration key: its name, type, unit, default, range and meaning. Immutable and thread-safe.
 *
 * <p>{@link io.fairlead.FairleadConfig#value} gives the value of a key. A transport or another module defines its keys with the methods
 * here and names them in {@link io.fairlead.spi.TransportProvider#configKeys()} or {@link io.fairlead.spi.ConfigKeyProvider#configKeys()}.
 *
 * @param <T> the type of its values
 */
public final class ConfigKey<T> {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+([.-][a-z0-9]+)*");
    private static final Pattern BARE_NUMBER = Pattern.compile("\\s*[+-]?[0-9.]+\\s*");

    private final String name;
    private final Class<T> type;
    private final T defaultValue;
    private final String unit;
    private final String range;
    private final String description;
    private final Function<String, T> parser;
    private final Function<T, String> formatter;

    /** A parser's message is the second half of a sentence that begins with name and text, such as "is too long". */
    private ConfigKey(
            String name,
            Class<T> type,
            T defaultValue,
            String unit,
            String range,
            String description,
            Function<String, T> parser,
            Function<T, String> formatter) {
        this.name = Objects.requireNonNull(name, "name");
        this.type = Objects.requireNonNull(type, "type");
        this.defaultValue = Objects.requireNonNull(defaultValue, "defaultValue");
        this.unit = Objects.requireNonNull(unit, "unit");
        this.range = Objects.requireNonNull(range, "range");
        this.description = Objects.requireNonNull(description, "description");
        this.parser = Objects.requireNonNull(parser, "parser");
        this.formatter = Objects.requireNonNull(formatter, "formatter");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "not a key's name: name=" + name + ", allowed a-z 0-9 with single dots or dashes between");
        }
    }

    /** The key, if the check takes its default. */
    private ConfigKey<T> withDefaultChecked(UnaryOperator<T> check) {
        try {
            T _ = check.apply(defaultValue);
            return this;
        } catch (IllegalArgumentException refused) {
            throw refusal(format(defaultValue), refused);
        }
    }

    private ConfigKey<T> withDefaultParsed() {
        T _ = parse(format(defaultValue));
        return this;
    }

    /**
     * Creates a key with values of any type, read by the given parser.
     *
     * @param <T> the type of its values
     * @param name dotted lower-case name
     * @param type the type of its values
     * @param defaultValue the value if none is configured
     * @param unit the unit of a bare number, empty if there is none
     * @param range the permitted values, in words
     * @param description what it does, one sentence
     * @param parser parses a value from text, and throws {@link IllegalArgumentException} for text that is malformed or
     *     out of range. It must also accept the {@link Object#toString()} of a value
     * @return the key
     * @throws IllegalArgumentException if the name is malformed, or the parser refuses the default
     */
    public static <T> ConfigKey<T> of(
            String name,
            Class<T> type,
            T defaultValue,
            String unit,
            String range,
            String description,
            Function<String, T> parser) {
        Objects.requireNonNull(parser, "parser");
        return new ConfigKey<>(
                        name,
                        type,
                        defaultValue,
                        unit,
                        range,
                        description,
                        text -> KeyText.read(text, "is not valid", parser),
                        Object::toString)
                .withDefaultParsed();
    }

    /**
     * Creates a key for durations, such as {@code 500 ms}, {@code 2s} or {@code 1.5 minutes}. Units are as in HOCON
     * and case-sensitive; a bare number is milliseconds.
     *
     * @param name dotted lower-case name
     * @param defaultValue the value if none is configured
     * @param min the shortest permitted, 0 and up
     * @param max the longest permitted, at most 292 years
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed, or a bound or the default is out of range
     */
    public static ConfigKey<Duration> duration(
            String name, Duration defaultValue, Duration min, Duration max, String description) {
        if (min.isNegative() || max.compareTo(DurationText.LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "bounds of " + name + " are out of range: min=" + DurationText.format(min) + ", at least 0 ms; max="
                            + DurationText.format(max) + ", at most 292 years");
        }
        return new ConfigKey<>(
                        name,
                        Duration.class,
                        defaultValue,
                        "ms",
                        DurationText.format(min) + " to " + DurationText.format(max),
                        description,
                        text -> KeyText.within(KeyText.read(text, KeyText.NO_DURATION, DurationText::parse), min, max),
                        DurationText::format)
                // Not as text: the library that reads it takes its time to load.
                .withDefaultChecked(value -> KeyText.within(value, min, max));
    }

    /**
     * Creates a key for sizes, such as {@code 4096}, {@code 64k} or {@code 1 MiB}. Units are as in HOCON and
     * case-sensitive: {@code k} and {@code KiB} are 1024 bytes, {@code kB} is 1000. A bare number is bytes.
     *
     * @param name dotted lower-case name
     * @param defaultValue the value if none is configured, in bytes
     * @param min the smallest permitted, in bytes, 0 and up
     * @param max the greatest permitted, in bytes
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed, or the default is out of range
     */
    public static ConfigKey<Integer> bytes(String name, int defaultValue, int min, int max, String description) {
        return new ConfigKey<>(
                        name,
                        Integer.class,
                        defaultValue,
                        "bytes",
                        SizeText.format(min) + " to " + SizeText.format(max),
                        description,
                        text -> Math.toIntExact(KeyText.within(
                                KeyText.read(text, KeyText.NO_SIZE, SizeText::parse), (long) min, (long) max)),
                        size -> SizeText.format(size))
                .withDefaultChecked(value -> KeyText.within(value, min, max));
    }

    /**
     * Creates a key for sizes that may exceed 2 GiB; as {@link #bytes} otherwise.
     *
     * @param name dotted lower-case name
     * @param defaultValue the value if none is configured, in bytes
     * @param min the smallest permitted, in bytes, 0 and up
     * @param max the greatest permitted, in bytes
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed, or the default is out of range
     */
    public static ConfigKey<Long> longBytes(String name, long defaultValue, long min, long max, String description) {
        return new ConfigKey<>(
                        name,
                        Long.class,
                        defaultValue,
                        "bytes",
                        SizeText.format(min) + " to " + SizeText.format(max),
                        description,
                        text -> KeyText.within(KeyText.read(text, "is not a size", SizeText::parse), min, max),
                        size -> SizeText.format(size))
                .withDefaultChecked(value -> KeyText.within(value, min, max));
    }

    /**
     * Creates a key for a switch, with the values {@code true} and {@code false}.
     *
     * @param name dotted lower-case name
     * @param defaultValue the value if none is configured
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed
     */
    public static ConfigKey<Boolean> flag(String name, boolean defaultValue, String description) {
        return of(name, Boolean.class, defaultValue, "", "true or false", description, text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        });
    }

    /**
     * Creates a key for whole numbers without a unit.
     *
     * @param name dotted lower-case name
     * @param defaultValue the value if none is configured
     * @param min the smallest permitted
     * @param max the greatest permitted
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed, or the default is out of range
     */
    public static ConfigKey<Integer> count(String name, int defaultValue, int min, int max, String description) {
        return new ConfigKey<>(
                        name,
                        Integer.class,
                        defaultValue,
                        "",
                        min + " to " + max,
                        description,
                        text -> Math.toIntExact(KeyText.within(
                                KeyText.read(text, "is not a whole number", number -> Long.valueOf(number.strip())),
                                (long) min,
                                (long) max)),
                        String::valueOf)
                .withDefaultChecked(value -> KeyText.within(value, min, max));
    }

    /**
     * Creates a key for one line of text.
     *
     * @param name dotted lower-case name
     * @param defaultValue the value if none is configured
     * @param lengthMax the longest permitted, in bytes of UTF-8
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed, or the default is too long
     */
    public static ConfigKey<String> text(String name, String defaultValue, int lengthMax, String description) {
        return new ConfigKey<>(
                        name,
                        String.class,
                        defaultValue,
                        "",
                        "one line of at most " + lengthMax + " bytes in UTF-8",
                        description,
                        text -> KeyText.line(text, lengthMax),
                        Function.identity())
                .withDefaultParsed();
    }

    /**
     * Creates a key for one of several words.
     *
     * @param name dotted lower-case name
     * @param defaultValue the word if none is configured
     * @param choices the words, in lower case; read in any case
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed, or the default is not among the words
     */
    public static ConfigKey<String> choice(String name, String defaultValue, List<String> choices, String description) {
        List<String> words = List.copyOf(choices);
        return new ConfigKey<>(
                        name,
                        String.class,
                        defaultValue,
                        "",
                        KeyText.words(words),
                        description,
                        text -> KeyText.word(text, words),
                        text -> text)
                .withDefaultParsed();
    }

    /**
     * Creates a key for one constant of an enum, written in lower case with dashes for underscores, and read in any
     * case.
     *
     * @param <E> the enum
     * @param name dotted lower-case name
     * @param type the enum
     * @param defaultValue the constant if none is configured
     * @param description what it does, one sentence
     * @return the key
     * @throws IllegalArgumentException if the name is malformed
     */
    public static <E extends Enum<E>> ConfigKey<E> choice(
            String name, Class<E> type, E defaultValue, String description) {
        List<E> constants = List.of(type.getEnumConstants());
        List<String> words = constants.stream().map(KeyText::word).toList();
        return new ConfigKey<>(
                name,
                type,
                defaultValue,
                "",
                KeyText.words(words),
                description,
                text -> constants.get(words.indexOf(KeyText.word(text, words))),
                KeyText::word);
    }

    /**
     * The key's name, by which a file sets it.
     *
     * @return dotted, lower case, such as {@code liveness.timeout}
     */
    public String name() {
        return name;
    }

    /**
     * The type of its values.
     *
     * @return the class; for a primitive type its wrapper
     */
    public Class<T> type() {
        return type;
    }

    /**
     * The value if none is configured.
     *
     * @return never null
     */
    public T defaultValue() {
        return defaultValue;
    }

    /**
     * The unit of a bare number.
     *
     * @return {@code ms} for durations, {@code bytes} for sizes, empty for all others unless {@link #of} was given one
     */
    public String unit() {
        return unit;
    }

    /**
     * The permitted values, in words, for messages and documents.
     *
     * @return such as {@code 100 ms to 1 h}
     */
    public String range() {
        return range;
    }

    /**
     * What the key does.
     *
     * @return one sentence
     */
    public String description() {
        return description;
    }

    /**
     * The environment variable that sets the key, such as {@code FAIRLEAD_LIVENESS_TIMEOUT} for
     * {@code liveness.timeout}.
     *
     * @return upper case, with underscores for dots and dashes
     */
    public String environmentVariable() {
        return "FAIRLEAD_" + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /**
     * Parses a value from the text in a file or an environment variable.
     *
     * @param text the text
     * @return the value
     * @throws IllegalArgumentException if the text is malformed, or the value is out of range; the message names key,
     *     text and range
     */
    public T parse(String text) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException refused) {
            throw refusal(text, refused);
        }
    }

    private IllegalArgumentException refusal(String text, IllegalArgumentException refused) {
        String fault = String.valueOf(refused.getMessage());
        return new IllegalArgumentException(
                name + "=" + shown(text, fault) + " " + fault + ": allowed " + range, refused);
    }

    /** A bare number with the unit in which it was read. */
    private String shown(String text, String fault) {
        String shown = ShownText.of(text);
        boolean bare =
                fault.equals(KeyText.OUT_OF_RANGE) && BARE_NUMBER.matcher(shown).matches();
        return bare && !unit.isEmpty() ? shown.strip() + " " + unit : shown;
    }

    /**
     * Formats a value as text that {@link #parse(String)} accepts.
     *
     * @param value a value of this key, not checked against the range
     * @return the text
     */
    public String format(T value) {
        return formatter.apply(value);
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * The key's entry in a reference file: description, type, default, range, environment variable, and an assignment of the default, all as
     * comments.
     *
     * @return lines of HOCON, each ended by a line feed
     */
    public String reference() {
        String text = format(defaultValue);
        String assigned = text.matches("[A-Za-z0-9][A-Za-z0-9 -]*") ? text : "\"" + text + "\"";
        return "# " + description + "\n# Type: " + KeyText.type(type, unit) + ". Default: "
                + (text.isEmpty() ? "empty" : text)
                + ".\n# Range: " + range + ".\n# Environment: " + environmentVariable() + "\n# " + name + " = "
                + assigned
                + "\n";
    }
}
