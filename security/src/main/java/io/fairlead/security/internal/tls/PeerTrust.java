package io.fairlead.security.internal.tls;

import io.fairlead.security.internal.files.KeyLoader;
import io.fairlead.security.internal.files.KeyMaterial;
import io.fairlead.security.internal.files.Revocations;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts certificates that an authority has signed and that are currently valid and not revoked. A connector also
 * requires the certificate of the requested host. Each refusal states in one line the fault, the certificate, and the
 * remedy. Thread-safe.
 */
final class PeerTrust extends EngineTrust {
    /** TLS 1.3 suites do not name a certificate algorithm; the JDK's engine calls it this, other engines differ. */
    private static final String ANY_SUITE = "UNKNOWN";

    private final X509ExtendedTrustManager paths;
    private final Revocations revocations;
    private final PeerDemand demand;
    private final InstantSource clock;

    PeerTrust(KeyMaterial material, PeerDemand demand, InstantSource clock) throws GeneralSecurityException {
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(
                material.authorities().stream()
                        .map(authority -> new TrustAnchor(authority, null))
                        .collect(Collectors.toSet()),
                new X509CertSelector());
        // The JDK would query the network; the revocations here are in a file.
        parameters.setRevocationEnabled(false);
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(new CertPathTrustManagerParameters(parameters));
        paths = (X509ExtendedTrustManager) factory.getTrustManagers()[0];
        revocations = material.revocations();
        this.demand = demand;
        this.clock = clock;
    }

    @Override
    public void checkClientTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine)
            throws CertificateException {
        X509Certificate[] shown = judge(chain);
        try {
            paths.checkClientTrusted(shown, ANY_SUITE, engine);
        } catch (CertificateException refused) {
            throw noPath(shown[0], KeyUse.CONNECTOR, refused);
        }
    }

    /** Checks a client of a server of another protocol. */
    void checkClient(X509Certificate @Nullable [] chain, @Nullable Socket socket) throws CertificateException {
        X509Certificate[] shown = judge(chain);
        try {
            paths.checkClientTrusted(shown, ANY_SUITE, socket);
        } catch (CertificateException refused) {
            throw noPath(shown[0], KeyUse.CONNECTOR, refused);
        }
    }

    @Override
    public void checkServerTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine)
            throws CertificateException {
        X509Certificate[] shown = judge(chain);
        try {
            paths.checkServerTrusted(shown, ANY_SUITE, engine);
        } catch (CertificateException refused) {
            // The JDK reports a faulty path by a subclass, and a wrong host name by this class.
            throw refused.getClass() == CertificateException.class
                    ? otherHost(shown[0], Objects.requireNonNull(engine).getPeerHost(), refused)
                    : noPath(shown[0], KeyUse.LISTENER, refused);
        }
        if (!demand.isMetBy(PeerNames.of(shown[0]))) {
            throw new CertificateException("the listener's certificate has no identity that is demanded: wanted="
                    + demand.text() + ", " + text(shown[0]) + ", dnsNames="
                    + PeerNames.of(shown[0]).dnsNames() + ", uris="
                    + PeerNames.of(shown[0]).uris()
                    + "; correct security.peer-identity, or connect to another listener");
        }
    }

    /**
     * Checks what the JDK does not: an authority's own certificate may be a peer's, and expired, and names may contain
     * anything.
     */
    private X509Certificate[] judge(X509Certificate @Nullable [] chain) throws CertificateException {
        if (chain == null || chain.length == 0) {
            throw new CertificateException("the peer showed no certificate");
        }
        X509Certificate peer = chain[0];
        Instant now = clock.instant();
        if (now.isAfter(peer.getNotAfter().toInstant())) {
            throw refusal(
                    CertPathValidatorException.BasicReason.EXPIRED,
                    "the peer's certificate has expired: " + text(peer) + ", notAfter="
                            + peer.getNotAfter().toInstant() + ", now=" + now + "; the peer needs a new one");
        }
        if (now.isBefore(peer.getNotBefore().toInstant())) {
            throw refusal(
                    CertPathValidatorException.BasicReason.NOT_YET_VALID,
                    "the peer's certificate is not valid yet: " + text(peer) + ", notBefore="
                            + peer.getNotBefore().toInstant() + ", now=" + now + "; compare the clocks of the hosts");
        }
        for (X509Certificate certificate : chain) {
            if (revocations.has(certificate)) {
                throw refusal(
                        CertPathValidatorException.BasicReason.REVOKED,
                        "the peer's certificate is revoked: " + text(certificate) + ", serial="
                                + certificate.getSerialNumber().toString(16)
                                + "; security.revoked names it, and the peer needs a new one");
            }
        }
        if (KeyLoader.isMadeUpForASecret(peer)) {
            throw new CertificateException("the peer uses a shared secret, and this side certificates: "
                    + "security.shared-secret-file at the peer, security.certificate here; configure the same at both");
        }
        PeerNames.of(peer);
        return chain;
    }

    /** The certificate is not trusted; keeps the JDK's cause, which determines the alert that it sends. */
    private CertificateException noPath(X509Certificate peer, KeyUse use, CertificateException refused) {
        Throwable cause = refused.getCause() == null ? refused : refused.getCause();
        if (!use.isAllowedBy(peer) || !KeyUse.allowsSignatures(peer)) {
            return new CertificateException(
                    "the peer's certificate does not allow this use: " + text(peer) + ", missing="
                            + (use.isAllowedBy(peer) ? "digitalSignature" : use)
                            + "; the peer needs one with extendedKeyUsage = clientAuth, serverAuth and"
                            + " keyUsage = digitalSignature, such as ./fairlead keys node makes",
                    cause);
        }
        String trusted = Arrays.stream(paths.getAcceptedIssuers())
                .map(authority -> authority.getSubjectX500Principal().getName() + keyed(KeyNumber.ofSubject(authority)))
                .sorted()
                .limit(4)
                .collect(Collectors.joining(" and "));
        return new CertificateException(
                "the peer's certificate is not from an authority of security.trust: " + text(peer) + ", issuer="
                        + peer.getIssuerX500Principal().getName() + keyed(KeyNumber.ofAuthority(peer)) + ", trusted="
                        + trusted + ", cause=" + PathFault.of(refused)
                        + "; give the peer one of these authorities', or trust its issuer",
                cause);
    }

    /** Distinguishes authorities of the same name by their keys. */
    private static String keyed(Optional<String> number) {
        return number.map(digits -> " (key " + digits + ")").orElse("");
    }

    private static CertificateException otherHost(
            X509Certificate peer, @Nullable String host, CertificateException refused) {
        return new CertificateException(
                "the peer's certificate is another host's: wanted=" + host + ", " + text(peer) + ", cause="
                        + refused.getMessage()
                        + "; ./fairlead keys node has --dns and --ip, and security.verify-host=false asks for no name",
                refused);
    }

    private static CertificateException refusal(CertPathValidatorException.Reason reason, String message) {
        return new CertificateException(message, new CertPathValidatorException(message, null, null, -1, reason));
    }

    private static String text(X509Certificate certificate) {
        return "subject=" + certificate.getSubjectX500Principal().getName();
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        // Not disclosed: anyone who connects could read the authorities before it has authenticated.
        return new X509Certificate[0];
    }
}
