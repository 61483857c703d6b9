package io.fairlead.internal.log;

import org.slf4j.Logger;

/**
 * What becomes of anything that the application's code throws where this library called it: it is logged, and ends nothing but that call.
 * Whoever calls the application catches {@link Throwable} and passes it here, because code in other languages throws checked
 * exceptions through methods that declare none.
 */
public final class Callbacks {
    private Callbacks() {}

    /**
     * Logs what was thrown. Never throws itself, though an exception's text may, and the application's appenders. An
     * {@link InterruptedException} leaves the thread interrupted, as it was before it was thrown.
     *
     * @param log where callbacks of this kind are logged
     * @param thrown what the application threw
     * @param what the line, with a place for each argument
     * @param arguments what it is about
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
        } catch (Throwable unheard) {
            // Nobody is left to be told, and the caller has others to serve.
        }
    }
}
