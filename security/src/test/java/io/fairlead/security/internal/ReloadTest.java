package io.fairlead.security.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.PeerIdentity;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.Credential;
import io.fairlead.security.internal.pem.Pem;
import io.fairlead.spi.security.SecureEngine;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are replaced while connections come and go. */
@Timeout(60)
final class ReloadTest {
    private static final Duration NEVER_BY_ITSELF = Duration.ofDays(1);

    @TempDir
    private Path folder;

    private KeyFolder keys;

    @BeforeEach
    void makeKeys() throws Exception {
        keys = new KeyFolder(folder);
        keys.writeNode("one");
        keys.writeNode("two");
    }

    private FairleadConfig config(String name) {
        return keys.config(name).with(SecurityKeys.RELOAD_INTERVAL, NEVER_BY_ITSELF);
    }

    private static ReloadedSecurity open(FairleadConfig config) {
        return KeyFileSecurity.open(config, InstantSource.system());
    }

    private static BigInteger serialShownTo(SecurePair pair) throws SSLException {
        return ((X509Certificate) pair.connector().engine().getSession().getPeerCertificates()[0]).getSerialNumber();
    }

    @Test
    void shouldUseNewFilesForNewConnectionsAndLeaveOldOnes() throws Exception {
        try (ReloadedSecurity one = open(config("one"));
                ReloadedSecurity two = open(config("two"));
                LogLines log = new LogLines(ReloadedKeys.class)) {
            SecurePair old = SecurePair.shake(one, two).assertConnected();
            assertEquals(1, two.version());
            two.look();
            assertEquals(1, two.version(), "nothing has changed");

            Credential renewed = keys.writeNode("two");
            two.look();

            assertEquals(2, two.version());
            assertEquals(
                    renewed.certificate().getSerialNumber(),
                    serialShownTo(SecurePair.shake(one, two).assertConnected()));
            old.assertConnected();
            assertEquals("CN=two", old.connector().identity().name());
            two.look();
            assertEquals(2, two.version());
            assertEquals(1, log.lines().size(), log.lines()::toString);
            assertTrue(
                    log.lines().getFirst().startsWith("INFO new connections use new keys: subject=CN=two"),
                    log.lines()::toString);
        }
    }

    @Test
    void shouldKeepTheOldKeysWhileNewOnesCannotBeUsedAndSayItOnce() throws Exception {
        try (ReloadedSecurity one = open(config("one"));
                ReloadedSecurity two = open(config("two"));
                LogLines log = new LogLines(ReloadedKeys.class)) {
            BigInteger before = serialShownTo(SecurePair.shake(one, two));
            Credential renewed = keys.issue("two", Duration.ofDays(30));

            keys.write("two.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n");
            two.look();
            two.look();
            assertEquals(1, log.lines().size(), log.lines()::toString);
            String line = log.lines().getFirst();
            assertTrue(line.startsWith("WARN the keys have changed and cannot be used"), line);
            assertTrue(line.contains("security.certificate=" + keys.path("two.pem")), line);
            assertEquals(before, serialShownTo(SecurePair.shake(one, two).assertConnected()));

            // Of two files that belong together one comes first.
            keys.write("two.pem", renewed.certificatePem());
            two.look();
            assertEquals(before, serialShownTo(SecurePair.shake(one, two).assertConnected()));
            assertTrue(log.lines().getLast().contains("is not the key of the certificate"), log.lines()::toString);
            assertEquals(1, two.version());

            keys.write("two-key.pem", renewed.keyPem());
            two.look();
            assertEquals(2, two.version());
            assertEquals(
                    renewed.certificate().getSerialNumber(),
                    serialShownTo(SecurePair.shake(one, two).assertConnected()));
        }
    }

    @Test
    void shouldRefuseWhatHasBeenRevokedSince() throws Exception {
        keys.write("revoked", "# nobody yet\n");
        FairleadConfig config = keys.with(config("one"), SecurityKeys.REVOKED, "revoked");
        Credential stolen = keys.writeNode("two");
        try (ReloadedSecurity one = open(config);
                ReloadedSecurity two = open(config("two"))) {
            SecurePair live = SecurePair.shake(one, two).assertConnected();
            assertEquals("CN=two", live.connector().identity().name());
            assertEquals("CN=one", live.listener().identity().name());
            assertFalse(live.connector().isRevoked());
            String serial = stolen.certificate().getSerialNumber().toString(16);

            keys.write("revoked", "serial=" + serial.toUpperCase(Locale.ROOT) + "  # stolen\n");
            one.look();

            assertTrue(SecurePair.shake(one, two)
                    .connectorFailure()
                    .contains("is revoked: subject=CN=two, serial=" + serial));
            assertTrue(SecurePair.shake(two, one).listenerFailure().contains("is revoked: subject=CN=two"));
            live.assertConnected();
            assertTrue(live.connector().isRevoked());
            assertFalse(live.connector().isOutdated(), "no key has been replaced");
            assertFalse(live.listener().isRevoked(), "that side has no list");

            keys.write(
                    "revoked",
                    Pem.write(Pem.REVOCATION_LIST, ForgedCertificate.revocationList(keys.authority(), BigInteger.TWO)));
            one.look();
            assertFalse(live.connector().isRevoked(), "somebody else's is");
            SecurePair.shake(one, two).assertConnected();
            keys.write(
                    "revoked",
                    Pem.write(
                            Pem.REVOCATION_LIST,
                            ForgedCertificate.revocationList(
                                    keys.authority(), stolen.certificate().getSerialNumber())));
            one.look();
            assertTrue(SecurePair.shake(one, two).connectorFailure().contains("is revoked: subject=CN=two"));
            assertEquals(4, one.version());
        }
    }

    @Test
    void shouldReadRevocationListsAndSerialNumbersOfOneFile() throws Exception {
        Credential first = keys.writeNode("two");
        String list = Pem.write(
                Pem.REVOCATION_LIST,
                ForgedCertificate.revocationList(
                        keys.authority(), first.certificate().getSerialNumber()));
        Credential second = keys.issue("two", Duration.ofDays(90));
        String serial = second.certificate().getSerialNumber().toString(16);
        for (String text : List.of(
                "\uFEFF# a list, and one more\r\n" + list + "serial=" + serial + " # stolen\n",
                serial + "\n" + list,
                "\uFEFF" + serial + "\n" + list)) {
            keys.write("revoked", text);
            try (ReloadedSecurity one = open(keys.with(config("one"), SecurityKeys.REVOKED, "revoked"))) {
                for (Credential revoked : List.of(first, second)) {
                    keys.write("two.pem", revoked.certificatePem());
                    keys.write("two-key.pem", revoked.keyPem());
                    try (ReloadedSecurity two = open(config("two"))) {
                        assertTrue(
                                SecurePair.shake(two, one).listenerFailure().contains("is revoked: subject=CN=two"),
                                text);
                    }
                }
            }
        }
    }

    /** What blocks whoever opens it must not keep revocations from coming into force. */
    @ParameterizedTest
    @ValueSource(strings = {"one-key.pem", "one.pem", "ca.pem"})
    void shouldRevokeWhileAnotherFileIsAPipe(String name) throws Exception {
        keys.write("revoked", "");
        Credential stolen = keys.writeNode("two");
        try (ReloadedSecurity one = open(keys.with(config("one"), SecurityKeys.REVOKED, "revoked"));
                ReloadedSecurity two = open(config("two"));
                LogLines log = new LogLines(ReloadedKeys.class)) {
            SecurePair live = SecurePair.shake(one, two).assertConnected();
            assertEquals("CN=two", live.connector().identity().name());
            Files.delete(keys.path(name));
            assertEquals(
                    0,
                    new ProcessBuilder("mkfifo", "-m", "600", keys.path(name).toString())
                            .start()
                            .waitFor());
            keys.write("revoked", stolen.certificate().getSerialNumber().toString(16));

            Thread looking = Thread.ofPlatform().daemon().start(one::look);
            assertTrue(looking.join(Duration.ofSeconds(20)), "still opens the pipe");

            assertTrue(live.connector().isRevoked(), log.lines()::toString);
            assertTrue(log.lines().getFirst().contains("is no regular file"), log.lines()::toString);
        }
    }

    /** Whom to refuse does not depend on whether this side's own keys can be used. */
    @Test
    void shouldRevokeWhileAnotherFileCannotBeUsed() throws Exception {
        keys.write("revoked", "# nobody yet\n");
        keys.writeNode("one", Duration.ofDays(1));
        Credential stolen = keys.writeNode("two");
        FairleadConfig config = keys.with(config("one"), SecurityKeys.REVOKED, "revoked");
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        try (ReloadedSecurity one = KeyFileSecurity.open(config, now::get);
                ReloadedSecurity two = open(config("two"));
                LogLines log = new LogLines(ReloadedKeys.class)) {
            SecurePair live = SecurePair.shake(one, two).assertConnected();
            assertEquals("CN=two", live.connector().identity().name());

            now.set(Instant.now().plus(Duration.ofDays(2)));
            keys.write("revoked", stolen.certificate().getSerialNumber().toString(16));
            one.look();

            assertTrue(live.connector().isRevoked(), log.lines()::toString);
            assertFalse(live.connector().isOutdated(), "no key has been replaced");
            assertTrue(log.lines().getFirst().contains("has expired"), log.lines()::toString);
            assertTrue(log.lines().getLast().contains("other certificates are revoked"), log.lines()::toString);
            assertTrue(SecurePair.shake(two, one).listenerFailure().contains("is revoked: subject=CN=two"));

            // A pair of keys of which one half is here.
            keys.write("one.pem", keys.issue("one", Duration.ofDays(90)).certificatePem());
            keys.write("revoked", "# nobody again\n");
            one.look();
            assertFalse(live.connector().isRevoked(), log.lines()::toString);
        }
    }

    @Test
    void shouldTellThatThePeersCertificateHasExpired() throws Exception {
        keys.writeNode("two", Duration.ofDays(1));
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        try (ReloadedSecurity one = KeyFileSecurity.open(config("one"), now::get);
                ReloadedSecurity two = open(config("two"))) {
            SecurePair pair = SecurePair.shake(one, two).assertConnected();
            assertEquals("CN=two", pair.connector().identity().name());
            assertFalse(pair.connector().isExpired());
            now.set(Instant.now().plus(Duration.ofDays(2)));
            assertTrue(pair.connector().isExpired());
        }
    }

    @Test
    void shouldTrustAnotherAuthorityWhenItsFileIsReplaced() throws Exception {
        KeyFolder others = new KeyFolder(folder.resolve("others"), "other-ca");
        others.writeNode("two");
        try (ReloadedSecurity one = open(config("one"));
                ReloadedSecurity two = open(keys.with(
                        others.config("two").with(SecurityKeys.RELOAD_INTERVAL, NEVER_BY_ITSELF),
                        SecurityKeys.TRUST,
                        "ca.pem"))) {
            assertFalse(SecurePair.shake(one, two).connectorFailure().isEmpty());
            keys.write(
                    "ca.pem",
                    keys.authority().certificatePem() + others.authority().certificatePem());
            one.look();
            SecurePair.shake(one, two).assertConnected();
        }
    }

    /** As in the middle of a replacement, where the old one is to be taken away last. */
    @Test
    void shouldLeaveConnectionsWhoseSecretOrAuthorityIsStillThere() throws Exception {
        KeyFolder others = new KeyFolder(folder.resolve("others"), "other-ca");
        FairleadConfig secrets = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret")
                .with(SecurityKeys.RELOAD_INTERVAL, NEVER_BY_ITSELF);
        keys.write("secret", KeyFolder.SECRET);
        try (ReloadedSecurity one = open(config("one"));
                ReloadedSecurity by = open(secrets)) {
            SecureEngine certified = one.listener();
            SecureEngine secret = by.listener();
            String own = keys.authority().certificatePem();
            keys.write("ca.pem", own + others.authority().certificatePem());
            keys.write("secret", KeyFolder.SECRET + "\n" + KeyFolder.OTHER_SECRET);
            one.look();
            by.look();
            assertEquals(2, one.version());
            assertFalse(certified.isOutdated(), "its authority is trusted as before");
            assertFalse(secret.isOutdated(), "its secret is there as before");
            keys.write("secret", KeyFolder.OTHER_SECRET + "\n" + KeyFolder.SECRET);
            by.look();
            assertFalse(secret.isOutdated(), "both are accepted as before");

            keys.write("ca.pem", others.authority().certificatePem());
            keys.write("secret", KeyFolder.OTHER_SECRET);
            one.look();
            by.look();
            assertTrue(certified.isOutdated());
            assertTrue(secret.isOutdated());
        }
    }

    @Test
    void shouldTakeANewSecret() throws Exception {
        keys.write("secret", KeyFolder.SECRET);
        FairleadConfig config = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret")
                .with(SecurityKeys.RELOAD_INTERVAL, NEVER_BY_ITSELF);
        try (ReloadedSecurity one = open(config)) {
            one.look();
            assertEquals(1, one.version(), "the same secret");
            keys.write("secret", KeyFolder.OTHER_SECRET);
            one.look();
            assertEquals(2, one.version());
            assertEquals(
                    KeyFolder.OTHER_SECRET,
                    new String(one.listener().sharedSecrets().getFirst(), StandardCharsets.US_ASCII));
        }
    }

    /** A connection that is made while the keys are replaced has those that its handshake began with. */
    @Test
    void shouldAnswerForTheKeysThatAnEngineWasMadeWith() throws Exception {
        keys.write("secret", KeyFolder.SECRET);
        FairleadConfig config = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret")
                .with(SecurityKeys.RELOAD_INTERVAL, NEVER_BY_ITSELF);
        try (ReloadedSecurity one = open(config);
                ReloadedSecurity two = open(config)) {
            SecureEngine connector = one.connector(KeyFolder.HOST, 7400);
            SecureEngine listener = two.listener();
            assertFalse(connector.isOutdated());

            keys.write("secret", KeyFolder.OTHER_SECRET);
            one.look();

            SecurePair.shake(connector, listener).assertConnected();
            assertEquals(PeerIdentity.SHARED_SECRET, connector.identity());
            assertArrayEquals(
                    listener.sharedSecrets().getFirst(),
                    connector.sharedSecrets().getFirst());
            assertArrayEquals(
                    listener.export("EXPORTER-fairlead-proof", new byte[0], 32),
                    connector.export("EXPORTER-fairlead-proof", new byte[0], 32));
            assertTrue(connector.isOutdated());
            assertFalse(listener.isOutdated(), "the other side has not looked yet");
            assertFalse(one.listener().isOutdated());
        }
    }

    @Test
    void shouldLookByItselfUntilClosed() throws Exception {
        long threads = watchers();
        try (ReloadedSecurity one =
                open(keys.config("one").with(SecurityKeys.RELOAD_INTERVAL, Duration.ofMillis(100)))) {
            assertEquals(threads + 1, watchers());
            keys.writeNode("one");
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (one.version() == 1 && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
            assertEquals(2, one.version());
        }
        assertEquals(threads, watchers());
    }

    private static long watchers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fairlead-keys"))
                .count();
    }

    @Test
    void shouldWarnOfItsOwnCertificateBeforeItExpires() throws Exception {
        keys.writeNode("one", Duration.ofDays(6));
        keys.writeNode("two", Duration.ofDays(8));
        try (LogLines log = new LogLines(ReloadedKeys.class);
                ReloadedSecurity one = open(config("one"));
                ReloadedSecurity two = open(config("two"))) {
            one.look();
            two.look();
            assertEquals(1, log.lines().size(), log.lines()::toString);
            assertTrue(
                    log.lines().getFirst().startsWith("WARN this process's certificate expires soon"),
                    log.lines()::toString);
            assertTrue(log.lines().getFirst().contains("CN=one"), log.lines()::toString);
        }
    }

    @Test
    void shouldTellHowOldAConnectionMayGet() {
        FairleadConfig config = config("one");
        try (ReloadedSecurity byDefault = open(config);
                ReloadedSecurity never = open(config.with(SecurityKeys.CONNECTION_MAX_AGE, Duration.ZERO))) {
            assertEquals(
                    List.of(Duration.ofHours(24), Duration.ZERO),
                    List.of(byDefault.connectionAgeMax(), never.connectionAgeMax()));
        }
    }
}
