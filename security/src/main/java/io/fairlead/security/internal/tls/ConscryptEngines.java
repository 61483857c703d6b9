package io.fairlead.security.internal.tls;

import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.engine.Engines;
import io.fairlead.spi.Availability;
import java.security.GeneralSecurityException;
import java.security.Provider;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.conscrypt.Conscrypt;

/** The engines of Conscrypt, which are BoringSSL's; the application supplies this native library. */
public final class ConscryptEngines implements EngineProvider {
    private static final String LIBRARY = "org.conscrypt:conscrypt-openjdk-uber";
    private static final String VERSION = "TLSv1.3";

    /** For the service loader. */
    public ConscryptEngines() {}

    @Override
    public String name() {
        return "conscrypt";
    }

    @Override
    public Availability availability() {
        try {
            return Conscrypt.isAvailable()
                    ? Availability.AVAILABLE
                    : Availability.unavailable(
                            LIBRARY + " has no native library for this platform; choose security.engine=jdk");
        } catch (LinkageError absent) {
            return Availability.unavailable(LIBRARY + " is not on the class or module path; add it");
        }
    }

    @Override
    public Engines open(X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) throws GeneralSecurityException {
        ContextPerEngine engines = new ContextPerEngine(Conscrypt.newProvider(), keys, trust);
        // Faults are reported now.
        engines.newContext();
        return engines;
    }

    /** Sessions are resumed within a context, so each engine gets its own. */
    private static final class ContextPerEngine implements Engines {
        private final Provider provider;
        private final X509ExtendedKeyManager keys;
        private final X509ExtendedTrustManager trust;

        ContextPerEngine(Provider provider, X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) {
            this.provider = provider;
            this.keys = keys;
            this.trust = trust;
        }

        @Override
        public SSLEngine client(String host, int port) {
            SSLEngine engine = context().createSSLEngine(host, port);
            engine.setUseClientMode(true);
            return engine;
        }

        @Override
        public SSLEngine server() {
            SSLEngine engine = context().createSSLEngine();
            engine.setUseClientMode(false);
            return engine;
        }

        @Override
        public byte[] export(SSLEngine engine, String label, byte[] context, int length) throws SSLException {
            return Conscrypt.exportKeyingMaterial(engine, label, context, length);
        }

        private SSLContext context() {
            try {
                return newContext();
            } catch (GeneralSecurityException changed) {
                throw new IllegalStateException("Conscrypt refuses keys that it has accepted before", changed);
            }
        }

        private SSLContext newContext() throws GeneralSecurityException {
            SSLContext context = SSLContext.getInstance(VERSION, provider);
            context.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
            return context;
        }
    }
}
