package io.fairlead.internal.transports;

import io.fairlead.FairleadException;
import org.slf4j.Logger;

/** What a transport threw, as the cause why it cannot be used. */
public final class ThrownCause {
    private ThrownCause() {}

    /**
     * Logs what was thrown, and puts it on one line. A failure of Fairlead's own says everything. Of others, the deepest cause is what
     * went wrong, and those around it say that something did; the log has where.
     *
     * @param log where to
     * @param what what follows from it
     * @param transport the transport's name
     * @param thrown by the transport
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
        return onOneLine(root.toString()) + "; the log tells where that was thrown";
    }

    private static String onOneLine(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ");
    }
}
