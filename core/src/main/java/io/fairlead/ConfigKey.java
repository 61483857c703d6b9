package io.fairlead;

import java.util.Objects;
import java.util.function.Function;

/**
 * A configuration key: its name, type, unit, default, range and meaning. Immutable.
 *
 * @param <T> the type of its values
 */
public final class ConfigKey<T> {
    private final String name;
    private final Class<T> type;
    private final T defaultValue;
    private final String unit;
    private final String range;
    private final String description;
    private final Function<String, T> parser;

    private ConfigKey(
            String name,
            Class<T> type,
            T defaultValue,
            String unit,
            String range,
            String description,
            Function<String, T> parser) {
        this.name = Objects.requireNonNull(name, "name");
        this.type = type;
        this.defaultValue = Objects.requireNonNull(defaultValue, "defaultValue");
        this.unit = unit;
        this.range = range;
        this.description = description;
        this.parser = parser;
    }

    /**
     * Makes a key.
     *
     * @param <T> the type of its values
     * @param name dotted lower-case name
     * @param type the type of its values
     * @param defaultValue the value where none is configured
     * @param unit the unit of the text form, or empty
     * @param range the permitted values, in words
     * @param description what it does, one sentence
     * @param parser reads the text form, and throws {@link IllegalArgumentException} for text or values out of range
     * @return the key
     */
    public static <T> ConfigKey<T> of(
            String name,
            Class<T> type,
            T defaultValue,
            String unit,
            String range,
            String description,
            Function<String, T> parser) {
        return new ConfigKey<>(name, type, defaultValue, unit, range, description, parser);
    }

    /**
     * The key's name.
     *
     * @return dotted, lower case
     */
    public String name() {
        return name;
    }

    /**
     * The type of its values.
     *
     * @return a boxed type
     */
    public Class<T> type() {
        return type;
    }

    /**
     * The value where none is configured.
     *
     * @return never null
     */
    public T defaultValue() {
        return defaultValue;
    }

    /**
     * The unit of its values.
     *
     * @return empty where there is none
     */
    public String unit() {
        return unit;
    }

    /**
     * The permitted values.
     *
     * @return in words, for messages and documents
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
     * Reads a value.
     *
     * @param text the text form
     * @return the value
     * @throws IllegalArgumentException if the text is no value in range
     */
    public T parse(String text) {
        return parser.apply(text);
    }

    @Override
    public String toString() {
        return name;
    }
}
