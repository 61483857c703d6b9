package io.fairlead.security.internal.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;

/**
 * The ends of connections for which a certificate may be used. Nodes use both, so their certificates need both uses.
 */
public enum KeyUse {
    /** Presented by connectors. */
    CONNECTOR("clientAuth", "1.3.6.1.5.5.7.3.2"),
    /** Presented by listeners. */
    LISTENER("serverAuth", "1.3.6.1.5.5.7.3.1");

    private static final String ANY = "2.5.29.37.0";
    /** A bit of the basic key usage. */
    private static final int DIGITAL_SIGNATURE = 0;

    private final String text;
    private final String identifier;

    KeyUse(String text, String identifier) {
        this.text = text;
        this.identifier = identifier;
    }

    /**
     * The uses that a certificate does not allow.
     *
     * @param certificate a node's certificate
     * @return their names in certificates; empty if it allows all
     */
    public static List<String> missing(X509Certificate certificate) {
        return Arrays.stream(values())
                .filter(use -> !use.isAllowedBy(certificate))
                .map(KeyUse::toString)
                .toList();
    }

    /** Whether a certificate may be presented at this end. */
    boolean isAllowedBy(X509Certificate certificate) {
        try {
            List<String> allowed = certificate.getExtendedKeyUsage();
            return allowed == null || allowed.contains(identifier) || allowed.contains(ANY);
        } catch (CertificateParsingException damaged) {
            return false;
        }
    }

    /**
     * Whether signatures of its key are valid, which each end creates.
     *
     * @param certificate a node's certificate
     * @return false if it restricts the uses of the key, and signatures are not among them
     */
    public static boolean allowsSignatures(X509Certificate certificate) {
        boolean[] usage = certificate.getKeyUsage();
        return usage == null || usage[DIGITAL_SIGNATURE];
    }

    /** The name in certificates and in openssl. */
    @Override
    public String toString() {
        return text;
    }
}
