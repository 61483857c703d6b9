package io.fairlead.security.certificates;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

/** Signs the certificates of nodes. Immutable and thread-safe. What it makes has keys on the curve P-256 and serial numbers of 128 random bits. */
public final class CertificateAuthority {
    private final Credential own;

    /**
     * Takes an authority that exists.
     *
     * @param own its certificate and key
     * @throws IllegalArgumentException if the certificate is not an authority's, or the key not the certificate's
     */
    public CertificateAuthority(Credential own) {
        X509Certificate certificate = own.certificate();
        if (certificate.getBasicConstraints() < 0) {
            throw new IllegalArgumentException(
                    "not the certificate of an authority: subject=" + certificate.getSubjectX500Principal());
        }
        this.own = own;
        // What it signs has to be of use to those who have its certificate.
        try {
            issue(new CertificateRequest("probe", List.of(), List.of(), List.of(), Duration.ofDays(1)))
                    .certificate()
                    .verify(certificate.getPublicKey());
        } catch (GeneralSecurityException other) {
            throw new IllegalArgumentException(
                    "not the key of the authority: subject=" + certificate.getSubjectX500Principal(), other);
        }
    }

    /**
     * Makes a new authority.
     *
     * @param name its common name, as {@link CertificateRequest#name()}
     * @param validity how long from now
     * @return its certificate, signed by itself, and its key
     * @throws IllegalArgumentException if the name is none, or the validity not more than zero
     */
    public static Credential create(String name, Duration validity) {
        CertificateRequest.checkName(name);
        if (!validity.isPositive()) {
            throw new IllegalArgumentException("not a time that an authority is valid for: validity=" + validity);
        }
        KeyPair keys = CertificateWriter.newKeys();
        return new Credential(
                keys.getPrivate(), CertificateWriter.of(name, validity).authority(keys));
    }

    /**
     * Makes a key for a node, and signs its certificate. It is good for both ends of a connection.
     *
     * @param request what the certificate says
     * @return the new key and its certificate, which ends no later than the authority's own
     */
    public Credential issue(CertificateRequest request) {
        KeyPair keys = CertificateWriter.newKeys();
        PublicKey node = keys.getPublic();
        return new Credential(
                keys.getPrivate(),
                CertificateWriter.of(request.name(), request.validity())
                        .node(node, request, own.certificate(), own.key()));
    }
}
