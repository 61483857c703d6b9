package io.fairlead.internal.config;

import java.util.Objects;

/**
 * A configured value.
 *
 * @param value of its key's type
 * @param origin where it was configured, in words
 */
public record Setting(Object value, String origin) {
    public Setting {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(origin, "origin");
    }
}
