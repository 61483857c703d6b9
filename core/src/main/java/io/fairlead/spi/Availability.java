package io.fairlead.spi;

import java.util.Objects;

/**
 * Whether a transport can be used here, and why not. Immutable.
 *
 * @param available whether it can be used
 * @param cause empty if it can; else one line with cause and remedy
 */
public record Availability(boolean available, String cause) {
    /** The answer of a transport that can be used. */
    public static final Availability AVAILABLE = new Availability(true, "");

    /** Checks that there is a cause. */
    public Availability {
        Objects.requireNonNull(cause, "cause");
    }

    /**
     * The answer of a transport that cannot be used.
     *
     * @param cause one line with cause and remedy
     * @return the answer
     */
    public static Availability unavailable(String cause) {
        return new Availability(false, cause);
    }
}
