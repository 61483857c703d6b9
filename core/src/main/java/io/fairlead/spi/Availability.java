package io.fairlead.spi;

import java.util.Objects;

/**
 * Whether a transport can be used in this process, with the cause if it cannot. Immutable and thread-safe.
 *
 * @param available whether the transport can be used
 * @param cause empty if it can; otherwise one line with cause and remedy
 */
public record Availability(boolean available, String cause) {
    /** The transport can be used. */
    public static final Availability AVAILABLE = new Availability(true, "");

    /** Checks that the cause is not null. */
    public Availability {
        Objects.requireNonNull(cause, "cause");
    }

    /**
     * The transport cannot be used.
     *
     * @param cause one line with cause and remedy
     * @return the unavailability with its cause
     */
    public static Availability unavailable(String cause) {
        return new Availability(false, cause);
    }
}
