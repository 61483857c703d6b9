package io.fairlead.testkit.roce;

/** A run of Fairlead over RoCE could not begin or go on. The message has the cause and the remedy. */
public final class RoceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RoceException(String message) {
        super(message);
    }
}
