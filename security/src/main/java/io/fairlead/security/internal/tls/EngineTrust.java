package io.fairlead.security.internal.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Checks peers of engines only. */
abstract class EngineTrust extends X509ExtendedTrustManager {
    @Override
    public final void checkClientTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable Socket socket)
            throws CertificateException {
        throw noEngine();
    }

    @Override
    public final void checkServerTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable Socket socket)
            throws CertificateException {
        throw noEngine();
    }

    @Override
    public final void checkClientTrusted(X509Certificate @Nullable [] chain, @Nullable String type)
            throws CertificateException {
        throw noEngine();
    }

    @Override
    public final void checkServerTrusted(X509Certificate @Nullable [] chain, @Nullable String type)
            throws CertificateException {
        throw noEngine();
    }

    private static CertificateException noEngine() {
        return new CertificateException("a peer without an engine: its host's name could not be verified");
    }
}
