package io.fairlead.internal.config;

import java.util.Objects;

/**
 * The value that a file, the environment or code sets for a key, and its origin. The map that contains it has the key.
 *
 * @param value the parsed value, of the key's type
 * @param origin where it was set, for messages: a file with a line, {@code environment variable FAIRLEAD_POLICY} or
 *     {@code code}
 */
public record ConfiguredValue(Object value, String origin) {
    public ConfiguredValue {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(origin, "origin");
    }
}
