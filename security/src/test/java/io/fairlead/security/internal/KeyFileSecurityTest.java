package io.fairlead.security.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.Credential;
import io.fairlead.security.internal.pem.Pem;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.ServerKeys;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.pkcs.jcajce.JcaPKCS8EncryptedPrivateKeyInfoBuilder;
import org.bouncycastle.pkcs.jcajce.JcePKCSPBEOutputEncryptorBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms of files that are read, and how each mistake with them is refused. */
@Timeout(60)
final class KeyFileSecurityTest {
    private static final String PASSWORD = "correct horse";
    private static final AlgorithmIdentifier HMAC_SHA256 =
            new AlgorithmIdentifier(PKCSObjectIdentifiers.id_hmacWithSHA256, DERNull.INSTANCE);

    @TempDir
    private Path folder;

    private KeyFolder keys;

    @BeforeEach
    void makeKeys() throws Exception {
        keys = new KeyFolder(folder);
        keys.writeNode("one");
    }

    private static void assertUsable(FairleadConfig config) throws Exception {
        try (ConnectionSecurity security = new KeyFileSecurity().open(config)) {
            SecurePair.shake(security, security).assertConnected();
        }
    }

    private static String refusal(FairleadConfig config) {
        FairleadException refused = assertThrows(FairleadException.class, () -> new KeyFileSecurity().open(config));
        assertEquals(FairleadException.Reason.CONFIGURATION, refused.reason());
        String message = String.valueOf(refused.getMessage());
        assertEquals(1, message.lines().count(), message);
        return message;
    }

    private static void assertRefused(FairleadConfig config, String... parts) {
        String message = refusal(config);
        for (String part : parts) {
            assertTrue(message.contains(part), () -> "expected " + part + " in: " + message);
        }
    }

    @Test
    void shouldNameTheCommandWhereThereAreNoKeys() {
        assertRefused(
                FairleadConfig.defaults(), "security.certificate", "security.shared-secret-file", "./fairlead keys");
    }

    @ParameterizedTest
    @ValueSource(strings = {"one.pem", "ca.pem", "revoked"})
    void shouldRefuseAFileThatAllUsersCanWrite(String name) throws Exception {
        keys.write("revoked", "1");
        FairleadConfig config = keys.with(keys.config("one"), SecurityKeys.REVOKED, "revoked");
        // As of private keys, a group may do more.
        Files.setPosixFilePermissions(keys.path(name), PosixFilePermissions.fromString("rw-rw-r--"));
        assertUsable(config);
        Files.setPosixFilePermissions(keys.path(name), PosixFilePermissions.fromString("rw-r--rw-"));
        assertRefused(config, "can be written by all users of this host; chmod o-w " + keys.path(name));
    }

    @Test
    void shouldReadAnEncryptedKey() throws Exception {
        Credential node = keys.issue("sealed", Duration.ofDays(1));
        keys.write("sealed.pem", node.certificatePem());
        keys.write("sealed-key.pem", encrypt(node));
        keys.write("password", PASSWORD + "\n");
        FairleadConfig config = keys.config("sealed");
        assertUsable(keys.with(config, SecurityKeys.PASSWORD_FILE, "password"));

        assertRefused(
                config,
                "security.key=" + keys.path("sealed-key.pem"),
                "there is no password",
                "FAIRLEAD_SECURITY_PASSWORD");
        keys.write("password", "wrong");
        assertRefused(
                keys.with(config, SecurityKeys.PASSWORD_FILE, "password"),
                "security.key=",
                "cannot be decrypted",
                "correct security.password-file");
    }

    @Test
    void shouldRefuseAKeyThatTakesHoursToDecrypt() throws Exception {
        byte[] content = sealed(keys.writeNode("one"), 0x10000);
        int at = indexOf(content, new byte[] {2, 3, 1, 0, 0});
        content[at + 2] = 0x7F;
        keys.write("one-key.pem", Pem.write(Pem.ENCRYPTED_PRIVATE_KEY, content));
        keys.write("password", PASSWORD);
        assertRefused(
                keys.with(keys.config("one"), SecurityKeys.PASSWORD_FILE, "password"),
                "security.key=",
                "iterations=8323072, at most 5000000");
    }

    private static int indexOf(byte[] content, byte[] part) {
        int at = 0;
        while (!Arrays.equals(content, at, at + part.length, part, 0, part.length)) {
            at++;
        }
        return at;
    }

    @Test
    void shouldShowWhatIsWrongInOneLine() throws Exception {
        keys.write("torn.pem", "-----BEGIN \0\t" + "A".repeat(10_000) + "-----\n");
        for (var key : List.of(SecurityKeys.KEY, SecurityKeys.TRUST, SecurityKeys.CERTIFICATE, SecurityKeys.REVOKED)) {
            String message = refusal(keys.with(keys.config("one"), key, "torn.pem"));
            assertTrue(message.contains("has a   AAAA"), message);
            assertTrue(message.chars().noneMatch(Character::isISOControl), message);
            assertTrue(message.length() < 1000, message);
        }
    }

    /** As openssl pkcs8 -topk8 -v2 aes256 writes it. */
    private static String encrypt(Credential node) throws Exception {
        return Pem.write(Pem.ENCRYPTED_PRIVATE_KEY, sealed(node, 2048));
    }

    private static byte[] sealed(Credential node, int iterations) throws Exception {
        var encryptor = new JcePKCSPBEOutputEncryptorBuilder(NISTObjectIdentifiers.id_aes256_CBC)
                .setPRF(HMAC_SHA256)
                .setIterationCount(iterations)
                .setProvider(new BouncyCastleProvider())
                .build(PASSWORD.toCharArray());
        return new JcaPKCS8EncryptedPrivateKeyInfoBuilder(node.key())
                .build(encryptor)
                .getEncoded();
    }

    @Test
    void shouldReadPkcs12() throws Exception {
        Credential node = keys.issue("stored", Duration.ofDays(1));
        store("stored.p12", node, node.certificate(), keys.authority().certificate());
        keys.write("password", PASSWORD);
        FairleadConfig config = keys.with(
                keys.with(FairleadConfig.defaults(), SecurityKeys.CERTIFICATE, "stored.p12"),
                SecurityKeys.PASSWORD_FILE,
                "password");
        assertUsable(config);
        assertUsable(keys.with(config, SecurityKeys.TRUST, "ca.pem"));

        assertRefused(keys.with(config, SecurityKeys.KEY, "one-key.pem"), "security.key=", "leave it out");
        store("alone.p12", node, node.certificate());
        FairleadConfig alone = keys.with(config, SecurityKeys.CERTIFICATE, "alone.p12");
        assertRefused(alone, "no certificate of an authority", "set security.trust");
        keys.write("password", "wrong");
        assertRefused(config, "cannot be opened", "correct security.password-file");
    }

    private void store(String name, Credential node, Certificate... chain) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("node", node.key(), PASSWORD.toCharArray(), chain);
        try (OutputStream out = Files.newOutputStream(keys.write(name, ""))) {
            store.store(out, PASSWORD.toCharArray());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"one-key.pem", "secret", "password"})
    void shouldRefuseSecretsThatOthersCanRead(String file) throws Exception {
        keys.write("secret", KeyFolder.SECRET);
        keys.write("password", PASSWORD);
        FairleadConfig config = switch (file) {
            case "secret" -> keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, file);
            case "password" -> {
                keys.write("one-key.pem", encrypt(keys.writeNode("one")));
                yield keys.with(keys.config("one"), SecurityKeys.PASSWORD_FILE, file);
            }
            default -> keys.config("one");
        };
        Files.setPosixFilePermissions(keys.path(file), PosixFilePermissions.fromString("rw-r--r--"));
        assertRefused(config, keys.path(file).toString(), "all users of this host", "chmod 600 " + keys.path(file));
        if (!file.equals("password")) {
            // As groups of containers read what is mounted for them.
            Files.setPosixFilePermissions(keys.path(file), PosixFilePermissions.fromString("rw-r-----"));
            assertUsable(config);
        }
    }

    @Test
    void shouldHoldASecretToItsLength() throws Exception {
        FairleadConfig config = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret");
        keys.write("secret", KeyFolder.SECRET.substring(1) + "\n\n");
        assertRefused(config, "not 32 random bytes in hexadecimal or Base64: length=63", "./fairlead keys secret");
        keys.write("secret", KeyFolder.SECRET + "\r\n");
        assertUsable(config);
        keys.write("secret", KeyFolder.SECRET.repeat(64) + "0");
        assertRefused(config, "length=4097");
    }

    /** A listener that anybody runs gets an HMAC by the secret, and can try guesses against it. */
    @Test
    void shouldRefuseASecretThatSomebodyCouldGuess() throws Exception {
        FairleadConfig config = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret");
        for (String guessed :
                List.of("correct horse battery staple and one more word of it", "0123456789abcdef", "01".repeat(32))) {
            keys.write("secret", guessed);
            assertRefused(config, "random", "./fairlead keys secret");
        }
        // As editors of Windows begin a file.
        keys.write("secret", "\uFEFF" + KeyFolder.SECRET + "\r\n");
        assertUsable(config);
        try (ConnectionSecurity opened = KeyFileSecurity.open(config, InstantSource.system())) {
            assertArrayEquals(
                    KeyFolder.SECRET.getBytes(StandardCharsets.US_ASCII),
                    opened.listener().sharedSecrets().getFirst());
        }
        // What openssl rand -base64 32 writes.
        keys.write("secret", "vO4nYVpQSfdG2uoYbS1Qx8Tz0yXGZxkQ5t3lYvD6i0o=\n");
        assertUsable(config);
    }

    @Test
    void shouldTakeTwoSecretsAndNoMore() throws Exception {
        FairleadConfig config = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret");
        keys.write("secret", KeyFolder.SECRET + "\n" + KeyFolder.OTHER_SECRET + "\n");
        assertUsable(config);
        keys.write("secret", KeyFolder.SECRET + "\n" + KeyFolder.SECRET);
        assertRefused(config, "has the same secret twice");
        keys.write("secret", (KeyFolder.SECRET + "\n").repeat(3));
        assertRefused(config, "has 3 secrets");
        keys.write("secret", "\n");
        assertRefused(config, "has 0 secrets");
    }

    @Test
    void shouldRefuseADemandThatNobodyCanMeet() throws Exception {
        FairleadConfig config = keys.config("one");
        assertRefused(
                config.with(SecurityKeys.PEER_IDENTITY, "feed.example.org"),
                "security.peer-identity=feed.example.org names no identity",
                "write dns: before a DNS name");
        assertUsable(config.with(SecurityKeys.PEER_IDENTITY, "dns:*.example.org, uri:spiffe://example.org/feed"));
        keys.write("secret", KeyFolder.SECRET);
        assertRefused(
                keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret")
                        .with(SecurityKeys.PEER_IDENTITY, "dns:feed.example.org"),
                "is demanded of peers that show no certificates");
    }

    @Test
    void shouldGiveServersOfOtherProtocolsCertificatesAlone() throws Exception {
        keys.write("secret", KeyFolder.SECRET);
        FairleadConfig secret = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret");
        KeyFileSecurity provider = new KeyFileSecurity();

        FairleadException refused = assertThrows(FairleadException.class, () -> provider.openServer(secret));

        assertEquals(FairleadException.Reason.CONFIGURATION, refused.reason());
        assertTrue(
                String.valueOf(refused.getMessage()).startsWith("a shared secret is no certificate"),
                refused::getMessage);
    }

    @Test
    void shouldGiveServersOfOtherProtocolsNoKeysOnceClosed() {
        ServerKeys server = new KeyFileSecurity().openServer(keys.config("one"));
        assertSame(server.context(), server.context(), "one for as long as the keys are the same");

        server.close();
        server.close();

        assertEquals(
                FairleadException.Reason.CLOSED,
                assertThrows(FairleadException.class, server::context).reason());
    }

    @Test
    void shouldRefuseASecretBesideCertificates() throws Exception {
        keys.write("secret", KeyFolder.SECRET);
        assertRefused(
                keys.with(keys.config("one"), SecurityKeys.SHARED_SECRET_FILE, "secret"),
                "security.certificate=",
                "beside security.shared-secret-file",
                "leave out one");
    }

    @Test
    void shouldNameTheKeyAndTheFileOfEachMistake() throws Exception {
        FairleadConfig config = keys.config("one");
        assertRefused(
                keys.with(config, SecurityKeys.CERTIFICATE, "absent.pem"),
                "security.certificate=" + keys.path("absent.pem"),
                "no such file");
        assertRefused(config.with(SecurityKeys.KEY, ""), "security.certificate=", "set security.key");
        assertRefused(config.with(SecurityKeys.TRUST, ""), "security.certificate=", "set security.trust");
        keys.writeNode("two");
        assertRefused(
                keys.with(config, SecurityKeys.KEY, "two-key.pem"),
                "security.key=" + keys.path("two-key.pem"),
                "is not the key of the certificate: subject=CN=one");
        assertRefused(
                keys.with(config, SecurityKeys.TRUST, "one-key.pem"), "security.trust=", "has no certificate in PEM");
        assertRefused(keys.with(config, SecurityKeys.KEY, "one.pem"), "security.key=", "0 private keys");
        keys.write("old.pem", Pem.write("EC PRIVATE KEY", new byte[] {1, 2, 3}));
        assertRefused(
                keys.with(config, SecurityKeys.KEY, "old.pem"),
                "older form EC PRIVATE KEY",
                "openssl pkcs8 -topk8 -in ");
        keys.write("torn.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n");
        assertRefused(keys.with(config, SecurityKeys.KEY, "torn.pem"), "security.key=", "without an end");
        keys.write("damaged.pem", Pem.write(Pem.CERTIFICATE, new byte[] {1, 2, 3}));
        assertRefused(keys.with(config, SecurityKeys.TRUST, "damaged.pem"), "security.trust=", "no whole certificate");
        keys.write("revoked", "not a number\n");
        assertRefused(
                keys.with(config, SecurityKeys.REVOKED, "revoked"), "security.revoked=", "no serial number in line 1");
        String list = Pem.write(Pem.REVOCATION_LIST, ForgedCertificate.revocationList(keys.authority()));
        long lines = list.lines().count();
        for (String odd : List.of("not a number", "-----BEGIN X509 CRL----", "-----END X509 CRL-----", "8a0b 0c0d")) {
            keys.write("revoked", "# one of the authority's\n" + list + "\n" + odd + "\n");
            assertRefused(
                    keys.with(config, SecurityKeys.REVOKED, "revoked"),
                    "security.revoked=",
                    "no serial number in line " + (lines + 3));
            keys.write("revoked", odd + "\n" + list);
            assertRefused(
                    keys.with(config, SecurityKeys.REVOKED, "revoked"),
                    "security.revoked=",
                    "no serial number in line 1");
        }
        Credential other = new KeyFolder(folder.resolve("others"), "other-ca").authority();
        keys.write("revoked", Pem.write(Pem.REVOCATION_LIST, ForgedCertificate.revocationList(other)));
        assertRefused(
                keys.with(config, SecurityKeys.REVOKED, "revoked"),
                "no authority of security.trust has signed",
                "other-ca");
    }

    @Test
    void shouldNameTheEnginesThatThereAre() {
        FairleadConfig config = keys.config("one").with(SecurityKeys.ENGINE, "abacus");
        assertRefused(config, "security.engine=abacus is not there: one of conscrypt, jdk");
    }
}
