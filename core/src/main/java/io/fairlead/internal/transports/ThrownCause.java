package io.fairlead.internal.transports;

import io.fairlead.FairleadException;
import org.slf4j.Logger;

/** Converts an exception of a transport into the cause of its unavailability. */
public final class ThrownCause {
    private ThrownCause() {}

    /**
     * Logs an exception, and formats it as one line. A failure of Fairlead's own is complete. For others the deepest
     * cause is what failed, and the outer ones only wrap it; the log has the stack trace.
     *
     * @param log the logger
     * @param what the consequence
     * @param transport the transport's name
     * @param thrown the transport's exception
     * @return the cause
     */
    public static String logged(Logger log, String what, String transport, Throwable thrown) {
        if (thrown instanceof FairleadException known && known.getMessage() != null) {
            log.warn("{}; transport={}, cause: {}", what, transport, known.getMessage());
            return onOneLine(known.getMessage());
        }
        log.warn("{}; transport={}", what, transport, thrown);
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return onOneLine(root.toString()) + "; the log has its stack trace";
    }

    private static String onOneLine(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ");
    }
}
