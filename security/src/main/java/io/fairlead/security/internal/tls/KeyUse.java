package io.fairlead.security.internal.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;

/** The ends of connections that a certificate may be used at. Nodes are at both, so that theirs needs both uses. */
public enum KeyUse {
    /** Shown by connectors. */
    CONNECTOR("clientAuth", "1.3.6.1.5.5.7.3.2"),
    /** Shown by listeners. */
    LISTENER("serverAuth", "1.3.6.1.5.5.7.3.1");

    private static final String ANY = "2.5.29.37.0";
    /** Of the bits of the basic key usage. */
    private static final int DIGITAL_SIGNATURE = 0;

    private final String text;
    private final String identifier;

    KeyUse(String text, String identifier) {
        this.text = text;
        this.identifier = identifier;
    }

    /**
     * Which uses a certificate does not allow.
     *
     * @param certificate a node's
     * @return as certificates name them; empty if it allows all
     */
    public static List<String> missing(X509Certificate certificate) {
        return Arrays.stream(values())
                .filter(use -> !use.isAllowedBy(certificate))
                .map(KeyUse::toString)
                .toList();
    }

    /** Whether a certificate may be shown at this end. */
    boolean isAllowedBy(X509Certificate certificate) {
        try {
            List<String> allowed = certificate.getExtendedKeyUsage();
            return allowed == null || allowed.contains(identifier) || allowed.contains(ANY);
        } catch (CertificateParsingException damaged) {
            return false;
        }
    }

    /**
     * Whether signatures of its key count, which each end makes.
     *
     * @param certificate a node's
     * @return false if it says what the key is for, and that is not among it
     */
    public static boolean allowsSignatures(X509Certificate certificate) {
        boolean[] usage = certificate.getKeyUsage();
        return usage == null || usage[DIGITAL_SIGNATURE];
    }

    /** As certificates and openssl name it. */
    @Override
    public String toString() {
        return text;
    }
}
