package io.fairlead.security.certificates;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

/**
 * Signs the certificates of nodes. Immutable and thread-safe. Its certificates have keys on the curve P-256 and serial
 * numbers of 128 random bits.
 */
public final class CertificateAuthority {
    private final Credential own;

    /**
     * Uses an existing authority.
     *
     * @param own the authority's certificate and key
     * @throws IllegalArgumentException if the certificate is not an authority's, or the key not the certificate's
     */
    public CertificateAuthority(Credential own) {
        X509Certificate certificate = own.certificate();
        if (certificate.getBasicConstraints() < 0) {
            throw new IllegalArgumentException(
                    "not the certificate of an authority: subject=" + certificate.getSubjectX500Principal());
        }
        this.own = own;
        // A certificate that its holders cannot verify would be useless.
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
     * Creates a new authority.
     *
     * @param name its common name, as {@link CertificateRequest#name()}
     * @param validity from now
     * @return its self-signed certificate, and its key
     * @throws IllegalArgumentException if the name is malformed, or the validity is not positive
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
     * Creates a key for a node, and signs its certificate, which is valid for both ends of a connection.
     *
     * @param request the content of the certificate
     * @return the new key and its certificate, which expires no later than the authority's own
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
