package io.fairlead.internal.log;

import org.slf4j.Logger;

/**
 * Handles exceptions of the application's call-backs: an exception is logged, and ends only that call. Callers catch
 * {@link Throwable} and pass it here, because code in other languages throws checked exceptions through methods that
 * declare none.
 */
public final class Callbacks {
    private Callbacks() {}

    /**
     * Logs an exception. Never throws itself, although an exception's text and the application's appenders may. An
     * {@link InterruptedException} leaves the thread interrupted, as it was before the throw.
     *
     * @param log the logger for call-backs of this kind
     * @param thrown the application's exception
     * @param what the line, with a placeholder for each argument
     * @param arguments the values of the placeholders
     */
    public static void logThrown(Logger log, Throwable thrown, String what, Object... arguments) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        try {
            Object[] all = new Object[arguments.length + 1];
            System.arraycopy(arguments, 0, all, 0, arguments.length);
            all[arguments.length] = thrown;
            log.error(what, all);
        } catch (Throwable unprintable) {
            logNameOf(log, thrown, what);
        }
    }

    private static void logNameOf(Logger log, Throwable thrown, String what) {
        try {
            log.error(
                    "{}; it cannot be printed: {}",
                    what.replace("{}", "?"),
                    thrown.getClass().getName());
        } catch (Throwable unreported) {
            // The failure cannot be reported, and the caller must go on.
        }
    }
}
