package io.fairlead.security.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.PeerIdentity;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecureEngine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which peers get through, which do not, and what both sides are told. */
@Timeout(60)
final class HandshakeTest {
    private static final int PORT = 7400;
    private static final byte[] NO_CONTEXT = {};

    @TempDir
    private Path folder;

    private KeyFolder keys;

    @BeforeEach
    void makeKeys() throws Exception {
        keys = new KeyFolder(folder);
        keys.writeNode("one");
        keys.writeNode("two");
    }

    private static ConnectionSecurity open(FairleadConfig config) {
        return new KeyFileSecurity().open(config);
    }

    @ParameterizedTest
    @CsvSource({"jdk, jdk", "conscrypt, conscrypt", "jdk, conscrypt", "conscrypt, jdk"})
    void shouldConnectPeersOfOneAuthorityAndTellWhoTheyAre(String oneEngine, String twoEngine) throws Exception {
        try (ConnectionSecurity one = open(keys.config("one").with(SecurityKeys.ENGINE, oneEngine));
                ConnectionSecurity two = open(keys.config("two").with(SecurityKeys.ENGINE, twoEngine))) {
            SecurePair pair = SecurePair.shake(one, two).assertConnected();

            assertEquals("TLSv1.3", pair.connector().engine().getSession().getProtocol());
            assertEquals("fairlead/1", pair.listener().engine().getApplicationProtocol());
            PeerIdentity two1 = pair.connector().identity();
            assertEquals(new PeerIdentity("CN=two", List.of(KeyFolder.HOST), List.of(KeyFolder.SPIFFE_ID)), two1);
            assertEquals("CN=one", pair.listener().identity().name());
            byte[] material = pair.connector().export("EXPORTER-fairlead-paths", NO_CONTEXT, 32);
            assertEquals(32, material.length);
            assertArrayEquals(material, pair.listener().export("EXPORTER-fairlead-paths", NO_CONTEXT, 32));
            assertFalse(Arrays.equals(material, pair.listener().export("EXPORTER-fairlead-proof", NO_CONTEXT, 32)));
            assertFalse(Arrays.equals(material, pair.listener().export("EXPORTER-fairlead-paths", new byte[] {1}, 32)));
            SecurePair other = SecurePair.shake(one, two).assertConnected();
            assertFalse(Arrays.equals(material, other.connector().export("EXPORTER-fairlead-paths", NO_CONTEXT, 32)));
        }
    }

    /** As other authorities issue them. */
    @ParameterizedTest
    @CsvSource({"RSA, jdk", "RSA, conscrypt", "Ed25519, jdk"})
    void shouldConnectWithKeysOfOtherKinds(String algorithm, String engine) throws Exception {
        Credential other = ForgedCertificate.withKey(keys.authority(), algorithm);
        keys.write("other.pem", other.certificatePem());
        keys.write("other-key.pem", other.keyPem());
        try (ConnectionSecurity one = open(keys.config("one").with(SecurityKeys.ENGINE, engine));
                ConnectionSecurity two = open(keys.config("other").with(SecurityKeys.ENGINE, engine))) {
            assertEquals(
                    "CN=forged",
                    SecurePair.shake(one, two)
                            .assertConnected()
                            .connector()
                            .identity()
                            .name());
            assertEquals(
                    "CN=forged",
                    SecurePair.shake(two, one)
                            .assertConnected()
                            .listener()
                            .identity()
                            .name());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void shouldRefusePeersOfAnotherAuthority(String engine) throws Exception {
        KeyFolder others = new KeyFolder(folder.resolve("others"), "other-ca");
        others.writeNode("stranger");
        try (ConnectionSecurity one = open(keys.config("one").with(SecurityKeys.ENGINE, engine));
                ConnectionSecurity stranger = open(others.config("stranger").with(SecurityKeys.ENGINE, engine));
                ConnectionSecurity trusting = open(keys.with(
                        others.config("stranger").with(SecurityKeys.ENGINE, engine), SecurityKeys.TRUST, "ca.pem"))) {
            String connector = SecurePair.shake(one, stranger).connectorFailure();
            assertContains(
                    connector, "not from an authority of security.trust: subject=CN=stranger, issuer=CN=other-ca");
            assertContains(connector, "trusted=CN=test-ca");

            SecurePair pair = SecurePair.shake(trusting, one);
            assertContains(pair.listenerFailure(), "not from an authority of security.trust: subject=CN=stranger");
            // In TLS 1.3 the connector has ended its handshake by then: the refusal is the first that it reads.
            assertContains(pair.connectorFailure(), "certificate_unknown|CERTIFICATE_UNKNOWN|unknown_ca|UNKNOWN_CA");
        }
    }

    private static void assertContains(String text, String part) {
        assertTrue(
                Arrays.stream(part.split("\\|", -1)).anyMatch(text::contains),
                () -> "expected " + part + " in: " + text);
    }

    @Test
    void shouldRefusePeersWhoseCertificateHasExpiredOrIsNotValidYet() throws Exception {
        keys.writeNode("short", Duration.ofMinutes(10));
        InstantSource later = InstantSource.offset(InstantSource.system(), Duration.ofHours(1));
        InstantSource earlier = InstantSource.offset(InstantSource.system(), Duration.ofHours(-2));
        try (ConnectionSecurity expiring = open(keys.config("short"));
                ConnectionSecurity ahead = KeyFileSecurity.open(keys.config("one"), later)) {
            assertContains(
                    SecurePair.shake(ahead, expiring).connectorFailure(), "has expired: subject=CN=short, notAfter=");
            SecurePair pair = SecurePair.shake(expiring, ahead);
            assertContains(pair.listenerFailure(), "has expired: subject=CN=short, notAfter=");
            pair.connectorFailure();
        }
        RuntimeException early =
                assertThrows(RuntimeException.class, () -> KeyFileSecurity.open(keys.config("one"), earlier));
        assertContains(String.valueOf(early.getMessage()), "is not valid yet: notBefore=");
    }

    /** The JDK trusts whatever is in its trust store itself, however old. */
    @Test
    void shouldRefuseAnExpiredCertificateThatIsTrustedItself() throws Exception {
        Credential own = keys.writeNode("short", Duration.ofMinutes(10));
        keys.write("ca.pem", keys.authority().certificatePem() + own.certificatePem());
        InstantSource later = InstantSource.offset(InstantSource.system(), Duration.ofHours(1));
        try (ConnectionSecurity expiring = open(keys.config("short"));
                ConnectionSecurity ahead = KeyFileSecurity.open(keys.config("one"), later)) {
            assertContains(SecurePair.shake(ahead, expiring).connectorFailure(), "has expired: subject=CN=short");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void shouldRefuseAListenerThatIsAnotherHost(String engine) throws Exception {
        FairleadConfig config = keys.config("one").with(SecurityKeys.ENGINE, engine);
        try (ConnectionSecurity one = open(config);
                ConnectionSecurity lax = open(config.with(SecurityKeys.VERIFY_HOST, false));
                ConnectionSecurity two = open(keys.config("two"))) {
            for (String host : List.of(KeyFolder.HOST, "127.0.0.1", "::1")) {
                SecurePair.shake(one, host, two).assertConnected();
            }
            for (String host : List.of("other.example.org", "127.0.0.2", "example.org")) {
                String failure = SecurePair.shake(one, host, two).connectorFailure();
                assertContains(failure, "another host's: wanted=" + host + ", subject=CN=two");
                assertContains(failure, "security.verify-host");
                SecurePair.shake(lax, host, two).assertConnected();
            }
        }
    }

    /** A host name in the clear would tell a reader on the wire who is spoken to. */
    @Test
    void shouldNotSendTheHostsNameInTheClear() throws Exception {
        try (ConnectionSecurity one = open(keys.config("one"))) {
            SSLEngine engine = one.connector(KeyFolder.HOST, PORT).engine();
            ByteBuffer hello = ByteBuffer.allocate(64 << 10);
            engine.beginHandshake();
            engine.wrap(ByteBuffer.allocate(0), hello);
            String sent = new String(hello.array(), 0, hello.position(), StandardCharsets.ISO_8859_1);
            assertTrue(sent.length() > 100);
            assertFalse(sent.contains("example"), sent);
        }
    }

    @Test
    void shouldRefuseAPeerWithoutACertificate() throws Exception {
        try (ConnectionSecurity one = open(keys.config("one"))) {
            EnginePair pair = EnginePair.shake(
                    stranger(null, "TLSv1.3", "fairlead/1"), one.listener().engine());
            assertContains(pair.listenerFailure(), "Empty client certificate chain");
            pair.connectorFailure();
        }
    }

    @Test
    void shouldRefuseAPeerOfAnOlderVersion() throws Exception {
        Credential credential = keys.issue("old", Duration.ofDays(1));
        try (ConnectionSecurity one = open(keys.config("one"))) {
            EnginePair pair = EnginePair.shake(
                    stranger(credential, "TLSv1.2", "fairlead/1"),
                    one.listener().engine());
            assertContains(pair.listenerFailure(), "TLSv1.2|protocol");
            pair.connectorFailure();

            SSLEngine old = server(stranger(credential, "TLSv1.2", "fairlead/1"));
            assertContains(
                    EnginePair.shake(one.connector(KeyFolder.HOST, PORT).engine(), old)
                            .listenerFailure(),
                    "protocol");
        }
    }

    @Test
    void shouldRefuseAPeerOfAnotherApplicationProtocol() throws Exception {
        Credential credential = keys.issue("web", Duration.ofDays(1));
        try (ConnectionSecurity one = open(keys.config("one"))) {
            EnginePair pair = EnginePair.shake(
                    stranger(credential, "TLSv1.3", "h2"), one.listener().engine());
            assertContains(pair.listenerFailure(), "No matching application layer protocol");
            assertContains(pair.connectorFailure(), "no_application_protocol");

            // Without any, TLS goes on, and the check behind the handshake has to see it: on both sides.
            SecureEngine listening = one.listener();
            EnginePair.shake(stranger(credential, "TLSv1.3"), listening.engine());
            SSLException listener = assertThrows(SSLException.class, listening::identity);
            assertContains(String.valueOf(listener.getMessage()), "wanted=fairlead/1, agreed=none");
            SecureEngine connecting = one.connector(KeyFolder.HOST, PORT);
            EnginePair.shake(connecting.engine(), server(stranger(credential, "TLSv1.3")));
            assertThrows(SSLException.class, connecting::identity);
        }
    }

    @Test
    void shouldTellNobodyBeforeTheHandshakeHasEnded() throws Exception {
        try (ConnectionSecurity one = open(keys.config("one"))) {
            SecureEngine engine = one.connector(KeyFolder.HOST, PORT);
            assertThrows(SSLException.class, engine::identity);
            assertThrows(SSLException.class, () -> engine.export("EXPORTER-fairlead-paths", NO_CONTEXT, 32));
        }
    }

    @Test
    void shouldRefuseACertificateThatNamesTwoSpiffeIds() throws Exception {
        Credential two = forge(keys.authority());
        try (ConnectionSecurity one = open(keys.config("one"))) {
            EnginePair pair = EnginePair.shake(
                    stranger(two, "TLSv1.3", "fairlead/1"), one.listener().engine());
            assertContains(pair.listenerFailure(), "more than one SPIFFE ID");
        }
    }

    @Test
    void shouldNameTheUseThatACertificateDoesNotAllow() throws Exception {
        Credential listening = ForgedCertificate.withUse(keys.authority(), KeyPurposeId.id_kp_serverAuth);
        Credential connecting = ForgedCertificate.withUse(keys.authority(), KeyPurposeId.id_kp_clientAuth);
        try (ConnectionSecurity one = open(keys.config("one"));
                ConnectionSecurity listener = open(written("listening", listening));
                ConnectionSecurity connector = open(written("connecting", connecting))) {
            String refused = SecurePair.shake(listener, one).listenerFailure();
            assertContains(
                    refused, "does not allow this use: subject=CN=forged, missing=clientAuth; the peer needs one");
            assertContains(
                    SecurePair.shake(one, connector).connectorFailure(),
                    "does not allow this use: subject=CN=forged, missing=serverAuth; the peer needs one");
        }
    }

    private FairleadConfig written(String name, Credential own) throws Exception {
        keys.write(name + ".pem", own.certificatePem());
        keys.write(name + "-key.pem", own.keyPem());
        return keys.config(name);
    }

    @Test
    void shouldTellAuthoritiesOfTheSameNameApartByTheirKeys() throws Exception {
        KeyFolder others = new KeyFolder(folder.resolve("others"), "test-ca");
        others.writeNode("stranger");
        try (ConnectionSecurity one = open(keys.config("one"));
                ConnectionSecurity stranger = open(others.config("stranger"))) {
            String refused = SecurePair.shake(one, stranger).connectorFailure();
            Matcher named = Pattern.compile(
                            "issuer=CN=test-ca \\(key (\\w{16})\\), trusted=CN=test-ca \\(key (\\w{16})\\)")
                    .matcher(refused);
            assertTrue(named.find(), refused);
            assertNotEquals(named.group(1), named.group(2));
            assertFalse(
                    Pattern.compile("(sun|java)\\.[a-z]+\\.")
                            .matcher(refused.lines().findFirst().orElseThrow())
                            .find(),
                    refused);
        }
    }

    @Test
    void shouldSayWhereOneSideHasASecretAndTheOtherCertificates() throws Exception {
        keys.write("secret", KeyFolder.SECRET + "\n");
        FairleadConfig secret = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret");
        try (ConnectionSecurity certified = open(keys.config("one"));
                ConnectionSecurity sharing = open(secret)) {
            assertContains(
                    SecurePair.shake(certified, sharing).connectorFailure(),
                    "the peer uses a shared secret, and this side certificates");
            assertContains(
                    SecurePair.shake(sharing, certified).connectorFailure(),
                    "the peer uses certificates, and this side a shared secret");
        }
    }

    /** What {@link CertificateRequest} refuses to ask for. */
    private static Credential forge(Credential authority) throws Exception {
        return ForgedCertificate.withUris(authority, "spiffe://example.org/a", "spiffe://example.org/b");
    }

    /** Registries give addresses, and certificates names: the connector demands whom it wants beside the host, or instead. */
    @Test
    void shouldDemandAnIdentityOfAListener() throws Exception {
        FairleadConfig demand = keys.config("one").with(SecurityKeys.VERIFY_HOST, false);
        try (ConnectionSecurity two = open(keys.config("two"))) {
            for (String met : List.of("uri:" + KeyFolder.SPIFFE_ID, "dns:nobody.example.org, dns:*.example.org")) {
                try (ConnectionSecurity one = open(demand.with(SecurityKeys.PEER_IDENTITY, met))) {
                    SecurePair.shake(one, two).assertConnected();
                    // Connectors are for rules of access.
                    SecurePair.shake(two, one).assertConnected();
                }
            }
            FairleadConfig other = demand.with(SecurityKeys.PEER_IDENTITY, "uri:spiffe://example.org/other");
            for (boolean host : new boolean[] {false, true}) {
                try (ConnectionSecurity one = open(other.with(SecurityKeys.VERIFY_HOST, host))) {
                    String failure = SecurePair.shake(one, two).connectorFailure();
                    assertTrue(
                            failure.contains(
                                    "has no identity that is demanded: wanted=uri:spiffe://example.org/other, subject=CN=two"),
                            failure);
                }
            }
        }
    }

    @Test
    void shouldConnectByASharedSecret() throws Exception {
        keys.write("secret", KeyFolder.SECRET + "\n");
        FairleadConfig config = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret");
        try (ConnectionSecurity one = open(config);
                ConnectionSecurity two = open(config)) {
            SecurePair pair = SecurePair.shake(one, two).assertConnected();

            assertEquals(PeerIdentity.SHARED_SECRET, pair.connector().identity());
            assertEquals(PeerIdentity.SHARED_SECRET, pair.listener().identity());
            byte[] secret = pair.connector().sharedSecrets().getFirst();
            assertArrayEquals(KeyFolder.SECRET.getBytes(StandardCharsets.US_ASCII), secret);
            secret[0] = 0;
            assertArrayEquals(
                    KeyFolder.SECRET.getBytes(StandardCharsets.US_ASCII),
                    pair.connector().sharedSecrets().getFirst());
            assertArrayEquals(
                    pair.connector().export("EXPORTER-fairlead-proof", NO_CONTEXT, 32),
                    pair.listener().export("EXPORTER-fairlead-proof", NO_CONTEXT, 32));
        }
    }

    @Test
    void shouldMakeNoEngineOnceClosedAndLetThoseBeforeGoOn() throws Exception {
        ConnectionSecurity one = open(keys.config("one"));
        SecurePair pair;
        try (ConnectionSecurity two = open(keys.config("two"))) {
            pair = SecurePair.shake(one, two);
            one.close();
            one.close();
        }
        pair.assertConnected();
        assertEquals(32, pair.connector().export("EXPORTER-fairlead-paths", NO_CONTEXT, 32).length);
        assertThrows(RuntimeException.class, () -> one.connector(KeyFolder.HOST, PORT));
        assertThrows(RuntimeException.class, one::listener);
    }

    /** A TLS engine that is not Fairlead's, with what certificate and protocols a test wants. */
    private static SSLEngine stranger(@Nullable Credential credential, String version, String... protocols)
            throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager[] managers = {};
        if (credential != null) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("own", credential.key(), new char[0], new X509Certificate[] {credential.certificate()});
            KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
            factory.init(store, new char[0]);
            managers = factory.getKeyManagers();
        }
        context.init(managers, new TrustManager[] {new EverybodyTrusted()}, new SecureRandom());
        SSLEngine engine = context.createSSLEngine(KeyFolder.HOST, PORT);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {version});
        parameters.setApplicationProtocols(protocols);
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static SSLEngine server(SSLEngine engine) {
        engine.setUseClientMode(false);
        return engine;
    }
}
