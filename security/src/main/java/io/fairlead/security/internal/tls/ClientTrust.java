package io.fairlead.security.internal.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Checks clients of sockets and engines as {@link PeerTrust} checks peers. It refuses servers, whose names it could not
 * verify. Thread-safe.
 */
final class ClientTrust extends X509ExtendedTrustManager {
    private final PeerTrust peers;

    ClientTrust(PeerTrust peers) {
        this.peers = peers;
    }

    @Override
    public void checkClientTrusted(X509Certificate @Nullable [] chain, @Nullable String type, @Nullable Socket socket)
            throws CertificateException {
        peers.checkClient(chain, socket);
    }

    @Override
    public void checkClientTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine)
            throws CertificateException {
        peers.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate @Nullable [] chain, @Nullable String type)
            throws CertificateException {
        peers.checkClient(chain, null);
    }

    @Override
    public void checkServerTrusted(X509Certificate @Nullable [] chain, @Nullable String type, @Nullable Socket socket)
            throws CertificateException {
        throw noClient();
    }

    @Override
    public void checkServerTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine)
            throws CertificateException {
        throw noClient();
    }

    @Override
    public void checkServerTrusted(X509Certificate @Nullable [] chain, @Nullable String type)
            throws CertificateException {
        throw noClient();
    }

    private static CertificateException noClient() {
        return new CertificateException("these keys are a server's, and connect to none");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return peers.getAcceptedIssuers();
    }
}
