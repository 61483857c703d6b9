package io.fairlead.security.internal.tls;

import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.engine.Engines;
import io.fairlead.spi.Availability;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** The engines of the JDK. */
public final class JdkEngines implements EngineProvider {
    private static final String PROVIDER = "SunJSSE";
    private static final String VERSION = "TLSv1.3";
    /** The JDK issues no ticket if sessions live longer than TLS allows a ticket: 7 days. */
    private static final int NO_TICKETS_SECONDS = 7 * 24 * 3600 + 1;

    /** The smallest session cache that the JDK offers; 0 is unlimited. */
    private static final int SESSIONS_MAX = 1;

    /** The fastest on current processors first; without suites of older TLS versions. */
    private static final String[] SUITES = {
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
    };

    /** Without finite fields, whose key exchange is the most expensive for a listener. */
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1"};

    /** For the service loader. */
    public JdkEngines() {}

    @Override
    public String name() {
        return "jdk";
    }

    @Override
    public Availability availability() {
        try {
            SSLContext.getInstance(VERSION, PROVIDER);
            return Availability.AVAILABLE;
        } catch (NoSuchAlgorithmException | NoSuchProviderException removed) {
            return Availability.unavailable("this JDK has no " + VERSION + " of " + PROVIDER
                    + "; restore security.provider in java.security, or choose another security.engine");
        }
    }

    @Override
    public Engines open(X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) throws GeneralSecurityException {
        SSLContext context = context(keys, trust);
        return new Engines() {
            @Override
            public SSLEngine client(String host, int port) {
                SSLEngine engine = context.createSSLEngine(host, port);
                engine.setUseClientMode(true);
                return restricted(engine);
            }

            @Override
            public SSLEngine server() {
                SSLEngine engine = context.createSSLEngine();
                engine.setUseClientMode(false);
                return restricted(engine);
            }

            @Override
            public byte[] export(SSLEngine engine, String label, byte[] context, int length) throws SSLException {
                if (engine.getSession() instanceof ExtendedSSLSession session) {
                    return session.exportKeyingMaterialData(label, context, length);
                }
                throw new SSLException("the engine has no exporter: engine="
                        + engine.getClass().getName());
            }
        };
    }

    /** The JDK's context, in which clients cannot resume sessions. */
    static SSLContext context(X509ExtendedKeyManager keys, X509ExtendedTrustManager trust)
            throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance(VERSION, PROVIDER);
        context.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
        context.getServerSessionContext().setSessionTimeout(NO_TICKETS_SECONDS);
        // Otherwise the JDK caches thousands of sessions, none of which is ever resumed.
        context.getServerSessionContext().setSessionCacheSize(SESSIONS_MAX);
        context.getClientSessionContext().setSessionCacheSize(SESSIONS_MAX);
        return context;
    }

    private static SSLEngine restricted(SSLEngine engine) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setCipherSuites(SUITES);
        parameters.setNamedGroups(GROUPS);
        engine.setSSLParameters(parameters);
        return engine;
    }
}
