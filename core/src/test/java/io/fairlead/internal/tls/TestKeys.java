package io.fairlead.internal.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.PeerIdentity;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecureEngine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A key and a certificate that signs itself, made by the JDK's keytool, as the keys of a context. Trusts its own certificate. */
final class TestKeys implements ConnectionSecurity {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final KeyStore own;
    private final KeyStore trusted;
    private @Nullable String secret;
    private long version;
    private boolean expired;
    private Duration ageMax = Duration.ZERO;

    private TestKeys(KeyStore own, KeyStore trusted, @Nullable String secret) {
        this.own = own;
        this.trusted = trusted;
        this.secret = secret;
    }

    /** Makes keys for a name. */
    static TestKeys make(Path folder, String name) throws Exception {
        Path file = folder.resolve(name + ".p12");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        String.valueOf(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), said);
        assertEquals(0, process.exitValue(), said);
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return new TestKeys(store, trusting(store), null);
    }

    private static KeyStore trusting(KeyStore store) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("peer", store.getCertificate("own"));
        return trusted;
    }

    /** From now on the certificates of peers are not valid any more. */
    void expirePeers() {
        expired = true;
    }

    /** The same with a secret to prove, or several, one a line. */
    TestKeys withSecret(String newSecret) {
        return new TestKeys(own, trusted, newSecret);
    }

    /** This certificate, trusting that of others. */
    TestKeys trusting(TestKeys others) {
        return new TestKeys(own, others.trusted, secret);
    }

    /** The same, with the age at which connections end whose keys have been replaced. */
    TestKeys withAgeMax(Duration newAgeMax) {
        TestKeys keys = new TestKeys(own, trusted, secret);
        keys.ageMax = newAgeMax;
        return keys;
    }

    /** Takes another secret, as a reload does. */
    void replaceSecret(String newSecret) {
        secret = newSecret;
        version++;
    }

    private SSLEngine engine(@Nullable String host, int port) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(own, PASSWORD);
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            SSLEngine engine = host == null ? context.createSSLEngine() : context.createSSLEngine(host, port);
            engine.setUseClientMode(host != null);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.3"});
            parameters.setApplicationProtocols(new String[] {PROTOCOL});
            parameters.setNeedClientAuth(true);
            if (host != null) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            }
            engine.setSSLParameters(parameters);
            return engine;
        } catch (GeneralSecurityException broken) {
            throw new IllegalStateException(broken);
        }
    }

    @Override
    public SecureEngine connector(String host, int port) {
        return new Made(engine(host, port), secret, version);
    }

    @Override
    public SecureEngine listener() {
        return new Made(engine(null, 0), secret, version);
    }

    private final class Made implements SecureEngine {
        private final SSLEngine engine;
        private final @Nullable String ownSecret;
        private final long ownVersion;

        Made(SSLEngine engine, @Nullable String ownSecret, long ownVersion) {
            this.engine = engine;
            this.ownSecret = ownSecret;
            this.ownVersion = ownVersion;
        }

        @Override
        public SSLEngine engine() {
            return engine;
        }

        @Override
        public PeerIdentity identity() throws SSLException {
            if (ownSecret != null) {
                return PeerIdentity.SHARED_SECRET;
            }
            X509Certificate certificate = (X509Certificate) engine.getSession().getPeerCertificates()[0];
            return PeerIdentity.named(certificate.getSubjectX500Principal().getName());
        }

        @Override
        public byte[] export(String label, byte[] context, int length) throws SSLException {
            return ((ExtendedSSLSession) engine.getSession()).exportKeyingMaterialData(label, context, length);
        }

        @Override
        public List<byte[]> sharedSecrets() {
            return ownSecret == null
                    ? List.of()
                    : ownSecret
                            .lines()
                            .map(text -> text.getBytes(StandardCharsets.UTF_8))
                            .toList();
        }

        @Override
        public boolean isExpired() {
            return expired;
        }

        @Override
        public boolean isOutdated() {
            return ownVersion != version;
        }
    }

    @Override
    public Duration connectionAgeMax() {
        return ageMax;
    }

    @Override
    public void close() {}
}
