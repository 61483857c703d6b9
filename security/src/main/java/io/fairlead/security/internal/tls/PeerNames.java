package io.fairlead.security.internal.tls;

import io.fairlead.PeerIdentity;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Reads the identity of a certificate's owner. */
public final class PeerNames {
    private static final Integer DNS = 2;
    private static final Integer URI = 6;

    private PeerNames() {}

    /**
     * Reads the names.
     *
     * @param certificate a peer's certificate
     * @return its subject, DNS names and URIs
     * @throws CertificateException if they exceed the limits of an identity, have control characters, or more than one
     *     is a SPIFFE ID
     */
    public static PeerIdentity of(X509Certificate certificate) throws CertificateException {
        List<String> dnsNames = new ArrayList<>();
        List<String> uris = new ArrayList<>();
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        if (names != null) {
            for (List<?> name : names) {
                if (DNS.equals(name.getFirst())) {
                    dnsNames.add(String.valueOf(name.get(1)));
                } else if (URI.equals(name.getFirst())) {
                    uris.add(String.valueOf(name.get(1)));
                }
            }
        }
        if (uris.stream().filter(uri -> uri.startsWith("spiffe://")).count() > 1) {
            throw new CertificateException(
                    "the peer's certificate has more than one SPIFFE ID, so that it names nobody");
        }
        try {
            return new PeerIdentity(certificate.getSubjectX500Principal().getName(), dnsNames, uris);
        } catch (IllegalArgumentException unfit) {
            throw new CertificateException(
                    "the peer's certificate has names that are not accepted: " + unfit.getMessage(), unfit);
        }
    }
}
