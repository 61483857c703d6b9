package io.fairlead.security.internal.tls;

import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.engine.Engines;
import io.fairlead.security.internal.files.KeyMaterial;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecureEngine;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** Creates engines with one set of keys, for as long as these are the newest. Thread-safe. */
public final class TlsKeys {
    private static final String[] VERSIONS = {KeyedEngine.VERSION};
    private static final String[] PROTOCOLS = {ConnectionSecurity.PROTOCOL};
    private static final String HOST_IN_CERTIFICATE = "HTTPS";

    private final KeyMaterial material;
    private final Engines engines;
    private final boolean verifiesHost;
    private final InstantSource clock;

    private TlsKeys(KeyMaterial material, Engines engines, boolean verifiesHost, InstantSource clock) {
        this.material = material;
        this.engines = engines;
        this.verifiesHost = verifiesHost;
        this.clock = clock;
    }

    /**
     * Prepares engines.
     *
     * @param material the engines' keys and trust
     * @param provider the provider of the engines
     * @param demand the requirements of a connector on a listener's certificate
     * @param clock for expiry
     * @return the source of engines
     * @throws GeneralSecurityException if keys or authorities are refused
     */
    public static TlsKeys of(KeyMaterial material, EngineProvider provider, PeerDemand demand, InstantSource clock)
            throws GeneralSecurityException {
        boolean certificates = !material.isBySecret();
        EngineTrust trust = certificates ? new PeerTrust(material, demand, clock) : new AnyPeer();
        return new TlsKeys(material, provider.open(new OwnKey(material), trust), certificates && demand.host(), clock);
    }

    /**
     * An engine in client mode.
     *
     * @param host the peer's host
     * @param port the peer's port
     * @param now the current keys at any later time
     * @return ready for its handshake
     */
    public SecureEngine connector(String host, int port, KeysInForce now) {
        SSLEngine engine = engines.client(host, port);
        SSLParameters parameters = parameters(engine);
        // An unneeded server name would be readable on the wire.
        parameters.setServerNames(List.of());
        if (verifiesHost) {
            parameters.setEndpointIdentificationAlgorithm(HOST_IN_CERTIFICATE);
        }
        engine.setSSLParameters(parameters);
        return new KeyedEngine(engine, engines, material, now, clock);
    }

    /**
     * An engine in server mode.
     *
     * @param now the current keys at any later time
     * @return ready for its handshake
     */
    public SecureEngine listener(KeysInForce now) {
        SSLEngine engine = engines.server();
        SSLParameters parameters = parameters(engine);
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return new KeyedEngine(engine, engines, material, now, clock);
    }

    private static SSLParameters parameters(SSLEngine engine) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(VERSIONS);
        parameters.setApplicationProtocols(PROTOCOLS);
        return parameters;
    }
}
