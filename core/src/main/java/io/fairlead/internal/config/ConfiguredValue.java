package io.fairlead.internal.config;

import java.util.Objects;

/**
 * The value that a file, the environment or code gives a key, and where it was given. The key itself is that of the map which holds this.
 *
 * @param value the parsed value, of the key's type
 * @param origin where it was configured, for messages: a file with a line, {@code environment variable FAIRLEAD_POLICY} or {@code code}
 */
public record ConfiguredValue(Object value, String origin) {
    public ConfiguredValue {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(origin, "origin");
    }
}
