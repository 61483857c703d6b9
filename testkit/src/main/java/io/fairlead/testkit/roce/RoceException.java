package io.fairlead.testkit.roce;

/** Fairlead could not be run over RoCE, or what ran there went wrong in a way that ends the process. */
public final class RoceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RoceException(String message) {
        super(message);
    }
}
