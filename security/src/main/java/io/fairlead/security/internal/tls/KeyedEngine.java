package io.fairlead.security.internal.tls;

import io.fairlead.PeerIdentity;
import io.fairlead.security.engine.Engines;
import io.fairlead.security.internal.files.KeyMaterial;
import io.fairlead.security.internal.files.Revocations;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecureEngine;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** An engine with the keys that it was created with. */
final class KeyedEngine implements SecureEngine {
    /** The one version of TLS that connections use. */
    static final String VERSION = "TLSv1.3";

    private final SSLEngine engine;
    private final Engines engines;
    private final KeyMaterial material;
    private final KeysInForce now;
    private final InstantSource clock;
    /** The expiry of the peer's certificate, in milliseconds since 1970. */
    private volatile long expiryMs = Long.MAX_VALUE;
    /** The peer's certificates; empty before the handshake has ended. */
    private volatile List<X509Certificate> shown = List.of();

    private volatile Verdict verdict = new Verdict(Revocations.NONE, false);

    /**
     * The result of a revocation check of the peer's certificates.
     *
     * @param by the revocations of the check
     * @param revoked whether one of the certificates is revoked
     */
    private record Verdict(Revocations by, boolean revoked) {}

    KeyedEngine(SSLEngine engine, Engines engines, KeyMaterial material, KeysInForce now, InstantSource clock) {
        this.engine = engine;
        this.engines = engines;
        this.material = material;
        this.now = now;
        this.clock = clock;
    }

    @Override
    public SSLEngine engine() {
        return engine;
    }

    @Override
    public PeerIdentity identity() throws SSLException {
        SSLSession session = engine.getSession();
        if (!VERSION.equals(session.getProtocol())) {
            throw new SSLException("the handshake did not end in " + VERSION + ": version=" + session.getProtocol());
        }
        String protocol = engine.getApplicationProtocol();
        if (!ConnectionSecurity.PROTOCOL.equals(protocol)) {
            throw new SSLException("the peer speaks another protocol within TLS: wanted=" + ConnectionSecurity.PROTOCOL
                    + ", agreed=" + (protocol == null || protocol.isEmpty() ? "none" : protocol));
        }
        if (!(session.getPeerCertificates()[0] instanceof X509Certificate peer)) {
            throw new SSLException("the peer's certificate is none of X.509");
        }
        if (material.isBySecret()) {
            return PeerIdentity.SHARED_SECRET;
        }
        expiryMs = peer.getNotAfter().toInstant().toEpochMilli();
        shown = Arrays.stream(session.getPeerCertificates())
                .filter(X509Certificate.class::isInstance)
                .map(X509Certificate.class::cast)
                .toList();
        try {
            return PeerNames.of(peer);
        } catch (CertificateException unfit) {
            throw new SSLException(unfit.getMessage(), unfit);
        }
    }

    @Override
    public byte[] export(String label, byte[] context, int length) throws SSLException {
        return engines.export(engine, label, context, length);
    }

    @Override
    public List<byte[]> sharedSecrets() {
        return material.secrets().stream().map(byte[]::clone).toList();
    }

    @Override
    public boolean isOutdated() {
        return now.areOthers();
    }

    // The same object is the same list, and an equal one costs only a check.
    @SuppressWarnings("ReferenceEquality")
    @Override
    public boolean isRevoked() {
        Revocations newest = now.revocations();
        Verdict known = verdict;
        // Lists are long, and this is called continuously.
        if (known.by() != newest) {
            known = new Verdict(newest, shown.stream().anyMatch(newest::has));
            verdict = known;
        }
        return known.revoked();
    }

    @Override
    public boolean isExpired() {
        return clock.millis() > expiryMs;
    }
}
