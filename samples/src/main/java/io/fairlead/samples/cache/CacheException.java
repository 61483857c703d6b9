package io.fairlead.samples.cache;

/** The cache could not do what it was asked; its client lives on. */
public final class CacheException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Reports what could not be done.
     *
     * @param message what failed, with its name and value, and the remedy
     */
    public CacheException(String message) {
        super(message);
    }
}
