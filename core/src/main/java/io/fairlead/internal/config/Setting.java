package io.fairlead.internal.config;

import java.util.Objects;

/**
 * What is configured for a key, which is known by whoever holds this.
 *
 * @param value of the type of that key, which has parsed it
 * @param origin where it was configured, for messages: a file with a line, {@code environment variable FAIRLEAD_POLICY} or {@code code}
 */
public record Setting(Object value, String origin) {
    public Setting {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(origin, "origin");
    }
}
