package io.fairlead.security.internal.tls;

import io.fairlead.PeerIdentity;
import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.engine.Engines;
import io.fairlead.security.internal.files.KeyMaterial;
import io.fairlead.spi.security.ConnectionSecurity;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/** Engines with one set of keys, for as long as these are the newest. Thread-safe. */
public final class TlsKeys {
    private static final String VERSION = "TLSv1.3";
    private static final String[] VERSIONS = {VERSION};
    private static final String[] PROTOCOLS = {ConnectionSecurity.PROTOCOL};
    private static final String HOST_IN_CERTIFICATE = "HTTPS";

    private final KeyMaterial material;
    private final Engines engines;
    private final boolean verifiesHost;

    private TlsKeys(KeyMaterial material, Engines engines, boolean verifiesHost) {
        this.material = material;
        this.engines = engines;
        this.verifiesHost = verifiesHost;
    }

    /**
     * Prepares engines.
     *
     * @param material what they show and trust
     * @param provider what supplies them
     * @param verifyHost whether the peer's certificate has to name the host that was asked for
     * @param clock tells what has expired
     * @return the engines' source
     * @throws GeneralSecurityException if keys or authorities are refused
     */
    public static TlsKeys of(KeyMaterial material, EngineProvider provider, HostCheck verifyHost, InstantSource clock)
            throws GeneralSecurityException {
        boolean certificates = material.secret().isEmpty();
        EngineTrust trust = certificates ? new PeerTrust(material, clock) : new AnyPeer();
        return new TlsKeys(
                material, provider.open(new OwnKey(material), trust), certificates && verifyHost == HostCheck.DEMANDED);
    }

    /** Whether a connector looks for its peer's host in the certificate. */
    public enum HostCheck {
        /** It does. */
        DEMANDED,
        /** Any name will do. */
        LEFT_OUT
    }

    /**
     * An engine in client mode.
     *
     * @param host the peer's
     * @param port the peer's
     * @return ready for its handshake
     */
    public SSLEngine connector(String host, int port) {
        SSLEngine engine = engines.client(host, port);
        SSLParameters parameters = parameters(engine);
        // A name that the listener does not need would be readable on the wire.
        parameters.setServerNames(List.of());
        if (verifiesHost) {
            parameters.setEndpointIdentificationAlgorithm(HOST_IN_CERTIFICATE);
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    /**
     * An engine in server mode.
     *
     * @return ready for its handshake
     */
    public SSLEngine listener() {
        SSLEngine engine = engines.server();
        SSLParameters parameters = parameters(engine);
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static SSLParameters parameters(SSLEngine engine) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(VERSIONS);
        parameters.setApplicationProtocols(PROTOCOLS);
        return parameters;
    }

    /**
     * Checks what a handshake has agreed on, and reads who the peer is.
     *
     * @param engine one of these
     * @return the peer
     * @throws SSLException if it is not what was asked for
     */
    public PeerIdentity identity(SSLEngine engine) throws SSLException {
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
        if (material.secret().isPresent()) {
            return PeerIdentity.SHARED_SECRET;
        }
        try {
            return PeerNames.of(peer);
        } catch (CertificateException unfit) {
            throw new SSLException(unfit.getMessage(), unfit);
        }
    }

    /**
     * Derives key material of a connection.
     *
     * @param engine one of these
     * @param label of the exporter
     * @param context of the exporter
     * @param length in bytes
     * @return the material
     * @throws SSLException if the engine refuses
     */
    public byte[] export(SSLEngine engine, String label, byte[] context, int length) throws SSLException {
        return engines.export(engine, label, context, length);
    }

    /**
     * The shared secret.
     *
     * @return a copy; empty where certificates are the proof
     */
    public Optional<byte[]> sharedSecret() {
        return material.secret().map(byte[]::clone);
    }
}
