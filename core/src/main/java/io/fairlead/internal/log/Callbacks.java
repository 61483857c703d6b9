package io.fairlead.internal.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * Handles exceptions of the application's call-backs: an exception is logged, and ends only that call. Callers catch
 * {@link Throwable} and pass it here, because code in other languages throws checked exceptions through methods that
 * declare none.
 *
 * <p>A peer chooses how often a call-back that throws is called. So each kind of exception gets one line per
 * {@link LineLimit#PERIOD_NS}: the first with its stack trace, a repeated one without it. That one says how many were
 * left out. Thread-safe.
 */
public final class Callbacks {
    /** The maximum number of kinds with a limit each; all others share one. */
    private static final int KINDS_MAX = 1024;

    private static final Kind OTHERS = new Kind("", "", "");
    private static final Map<Kind, LineLimit> LIMITS = new ConcurrentHashMap<>();

    private Callbacks() {}

    /** Exceptions that are repetitions of each other, by names, which keep no class in memory. */
    private record Kind(String logger, String what, String thrown) {}

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
        logThrown(System.nanoTime(), log, thrown, what, arguments);
    }

    static void logThrown(long nowNs, Logger log, Throwable thrown, String what, Object... arguments) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        try {
            LineLimit limit =
                    limit(new Kind(log.getName(), what, thrown.getClass().getName()));
            long leftOut;
            synchronized (limit) {
                leftOut = limit.takeLeftOut(nowNs);
                if (!limit.tryWrite(nowNs)) {
                    return;
                }
            }
            if (leftOut == 0) {
                log.error(what, with(arguments, thrown));
            } else {
                // The text alone: a throwable as the last argument would be printed with its stack trace.
                log.error(
                        what + "; again, after {} more like it, cause: {}",
                        with(arguments, leftOut, thrown.toString()));
            }
        } catch (Throwable unprintable) {
            logNameOf(log, thrown, what);
        }
    }

    private static LineLimit limit(Kind kind) {
        LineLimit known = LIMITS.get(kind);
        if (known != null) {
            return known;
        }
        return LIMITS.computeIfAbsent(LIMITS.size() < KINDS_MAX ? kind : OTHERS, _ -> new LineLimit(1));
    }

    private static Object[] with(Object[] arguments, Object... more) {
        Object[] all = new Object[arguments.length + more.length];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return all;
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
