package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.wire.WireText;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;

/** Descriptions of TLS failures. Stateless. */
final class TlsFailure {
    /** The prefix of the JDK engine's message if the failure is an alert of the peer. */
    private static final String ALERT = "Received fatal alert: ";

    private static final int CAUSES_MAX = 16;
    private static final int SAID_MAX = 1000;

    private TlsFailure() {}

    /** The failure of an engine. */
    static FairleadException of(Exception failure, String peer) {
        String said = String.valueOf(failure.getMessage());
        int alert = said.indexOf(ALERT);
        if (alert >= 0) {
            return new FairleadException(
                    Reason.UNTRUSTED,
                    "peer ended TLS: peer=" + peer + ", alert=" + shown(said.substring(alert + ALERT.length()))
                            + "; its log says what it did not accept (that of a command: with -v)",
                    failure);
        }
        Throwable root = failure;
        Throwable verdict = null;
        for (int i = 0; i < CAUSES_MAX && root.getCause() != null; i++) {
            root = root.getCause();
            verdict = verdict == null && isOfCertificate(root) ? root : verdict;
        }
        if (verdict != null) {
            // The first of them has the project's own text; the engine's wrappers and the causes below repeat it.
            return new FairleadException(
                    Reason.UNTRUSTED,
                    "peer has not proved who it is: peer=" + peer + ", cause: "
                            + shown(String.valueOf(verdict.getMessage())),
                    failure);
        }
        String below = String.valueOf(root.getMessage());
        String cause = shown(said.contains(below) ? said : said + " (" + below + ")");
        return new FairleadException(
                failure instanceof SSLHandshakeException ? Reason.UNTRUSTED : Reason.PROTOCOL_VIOLATION,
                "TLS failed: peer=" + peer + ", cause: " + cause,
                failure);
    }

    private static boolean isOfCertificate(Throwable cause) {
        return cause instanceof CertificateException
                || cause instanceof CertPathValidatorException
                || cause instanceof CertPathBuilderException;
    }

    /** An engine's message may contain the peer's text, such as the names in its certificate. */
    private static String shown(String said) {
        String line = WireText.line(said, said.length());
        if (line.length() <= SAID_MAX) {
            return line;
        }
        int end = line.lastIndexOf(' ', SAID_MAX);
        return line.substring(0, end > 0 ? end : SAID_MAX) + " ...";
    }

    /** The peer has broken a rule. */
    static FairleadException violation(String rule, String peer) {
        return new FairleadException(Reason.PROTOCOL_VIOLATION, rule + ", peer=" + peer);
    }
}
