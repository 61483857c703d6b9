package io.fairlead;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** A typed configuration. Immutable. */
public final class FairleadConfig {
    private static final FairleadConfig DEFAULTS = new FairleadConfig(Map.of());

    private final Map<String, Object> values;

    private FairleadConfig(Map<String, Object> values) {
        this.values = Map.copyOf(values);
    }

    /**
     * The configuration in which every key has its default.
     *
     * @return always the same
     */
    public static FairleadConfig defaults() {
        return DEFAULTS;
    }

    /**
     * A copy with another value for a key.
     *
     * @param <T> the type of its values
     * @param key the key
     * @param value the value
     * @return the copy
     */
    public <T> FairleadConfig with(ConfigKey<T> key, T value) {
        Objects.requireNonNull(value, "value");
        Map<String, Object> copy = new HashMap<>(values);
        copy.put(key.name(), value);
        return new FairleadConfig(copy);
    }

    /**
     * The value of a key.
     *
     * @param <T> the type of its values
     * @param key the key
     * @return what is configured, or the key's default
     */
    public <T> T value(ConfigKey<T> key) {
        Object value = values.get(key.name());
        return value == null ? key.defaultValue() : key.type().cast(value);
    }
}
