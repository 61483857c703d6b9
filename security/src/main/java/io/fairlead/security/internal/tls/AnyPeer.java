package io.fairlead.security.internal.tls;

import io.fairlead.security.internal.files.KeyLoader;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Accepts any ad hoc certificate of a peer. The proof of the shared secret after the handshake covers the keys of this
 * connection. A man in the middle, who has other keys with each side, therefore cannot relay it.
 */
final class AnyPeer extends EngineTrust {
    @Override
    public void checkClientTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine)
            throws CertificateException {
        demandMadeUp(chain);
    }

    @Override
    public void checkServerTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine)
            throws CertificateException {
        demandMadeUp(chain);
    }

    /** A real certificate proves nothing here either, and its owner could not continue. */
    private static void demandMadeUp(X509Certificate @Nullable [] chain) throws CertificateException {
        if (chain != null && chain.length > 0 && !KeyLoader.isMadeUpForASecret(chain[0])) {
            throw new CertificateException("the peer uses certificates, and this side a shared secret: "
                    + "security.certificate at the peer, security.shared-secret-file here; configure the same at both");
        }
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
