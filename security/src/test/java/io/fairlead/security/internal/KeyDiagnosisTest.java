package io.fairlead.security.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.Credential;
import io.fairlead.spi.Diagnosis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class KeyDiagnosisTest {
    @TempDir
    private Path folder;

    private KeyFolder keys;

    @BeforeEach
    void makeKeys() throws Exception {
        keys = new KeyFolder(folder);
        keys.writeNode("one");
    }

    private static List<Diagnosis> diagnose(FairleadConfig config, Duration later) {
        return KeyDiagnosis.of(config, Map.of(), InstantSource.offset(InstantSource.system(), later));
    }

    private static Diagnosis only(List<Diagnosis> findings, Diagnosis.Level level) {
        List<Diagnosis> found =
                findings.stream().filter(finding -> finding.level() == level).toList();
        assertEquals(1, found.size(), findings::toString);
        return found.getFirst();
    }

    private static void assertFinding(Diagnosis finding, String name, String text) {
        assertEquals(name, finding.name());
        assertTrue(finding.finding().contains(text), finding::toString);
    }

    @Test
    void shouldFindNothingWrongWithNewKeys() {
        List<Diagnosis> findings = diagnose(keys.config("one"), Duration.ZERO);
        assertEquals(
                List.of("key files", "private key", "certificate", "authority", "chain"),
                findings.stream().map(Diagnosis::name).toList());
        assertTrue(findings.stream().allMatch(finding -> finding.level() == Diagnosis.Level.OK), findings::toString);
        assertFinding(findings.get(2), "certificate", "CN=one, valid until ");
    }

    @Test
    void shouldSayThatNoKeysAreConfigured() {
        assertEquals(1, diagnose(FairleadConfig.defaults(), Duration.ZERO).size());
    }

    @Test
    void shouldWarnAMonthBeforeACertificateExpiresAndFailOnceItHas() {
        assertFinding(
                only(diagnose(keys.config("one"), Duration.ofDays(61)), Diagnosis.Level.WARNING),
                "certificate",
                "in 28 days");
        assertFinding(
                only(diagnose(keys.config("one"), Duration.ofDays(91)), Diagnosis.Level.FAILURE),
                "keys",
                "has expired");
        assertTrue(diagnose(keys.config("one"), Duration.ofDays(59)).stream()
                .allMatch(finding -> finding.level() == Diagnosis.Level.OK));
    }

    @Test
    void shouldWarnOfACertificateThatPeersOfTheSameTrustRefuse() throws Exception {
        KeyFolder others = new KeyFolder(folder.resolve("others"), "other-ca");
        FairleadConfig config = others.with(keys.config("one"), SecurityKeys.TRUST, "ca.pem");
        Diagnosis finding = only(diagnose(config, Duration.ZERO), Diagnosis.Level.WARNING);
        assertFinding(finding, "chain", "issuer=CN=test-ca");
        assertTrue(finding.remedy().contains("security.trust"), finding::toString);
    }

    @Test
    void shouldFailWhereTheOwnCertificateIsRevoked() throws Exception {
        Credential one = keys.writeNode("one");
        keys.write("revoked", one.certificate().getSerialNumber().toString(16));
        FairleadConfig config = keys.with(keys.config("one"), SecurityKeys.REVOKED, "revoked");
        assertFinding(
                only(diagnose(config, Duration.ZERO), Diagnosis.Level.FAILURE),
                "chain",
                "this process's own certificate");
    }

    @Test
    void shouldFailForACertificateThatIsForOneEndAlone() throws Exception {
        Credential listening = ForgedCertificate.withUse(keys.authority(), KeyPurposeId.id_kp_serverAuth);
        keys.write("one.pem", listening.certificatePem());
        keys.write("one-key.pem", listening.keyPem());
        List<Diagnosis> findings = diagnose(keys.config("one"), Duration.ZERO);
        Diagnosis finding = findings.stream()
                .filter(found -> found.name().equals("certificate use"))
                .findFirst()
                .orElseThrow();
        assertEquals(Diagnosis.Level.FAILURE, finding.level());
        assertFinding(finding, "certificate use", "missing=clientAuth");
    }

    @Test
    void shouldFailWithTheRemedyOfAMode() throws Exception {
        Files.setPosixFilePermissions(keys.path("one-key.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        Diagnosis finding = only(diagnose(keys.config("one"), Duration.ZERO), Diagnosis.Level.FAILURE);
        assertFinding(finding, "keys", "security.key=");
        assertEquals("chmod 600 " + keys.path("one-key.pem"), finding.remedy());
    }

    @ParameterizedTest
    @ValueSource(strings = {"one.pem", "one-key.pem", "ca.pem", "revoked"})
    void shouldFailForEachFileThatTheGroupOrAllUsersCanWrite(String name) throws Exception {
        keys.write("revoked", "1");
        FairleadConfig config = keys.with(keys.config("one"), SecurityKeys.REVOKED, "revoked");
        Files.setPosixFilePermissions(keys.path(name), PosixFilePermissions.fromString("rw--w----"));
        Diagnosis ofGroup = only(diagnose(config, Duration.ZERO), Diagnosis.Level.FAILURE);
        assertFinding(ofGroup, "key files", "the group of the file can write ");
        assertEquals("chmod g-w " + keys.path(name), ofGroup.remedy());
        Files.setPosixFilePermissions(keys.path(name), PosixFilePermissions.fromString("rw-----w-"));
        Diagnosis ofAll = only(diagnose(config, Duration.ZERO), Diagnosis.Level.FAILURE);
        assertFinding(ofAll, "key files", "all users of this host can write ");
        assertEquals("chmod o-w " + keys.path(name), ofAll.remedy());
    }

    @Test
    void shouldFailWhereAModeNeedsKeysAndThereAreNone() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.SECURITY_MODE, SecurityMode.ENCRYPTED);
        Diagnosis finding = only(diagnose(config, Duration.ZERO), Diagnosis.Level.FAILURE);
        assertFinding(finding, "keys", "security.mode=encrypted opens no context without them");
    }

    @Test
    void shouldTellTheLengthOfASecret() throws Exception {
        FairleadConfig config = keys.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, "secret");
        keys.write("secret", KeyFolder.SECRET);
        assertFinding(diagnose(config, Duration.ZERO).getLast(), "shared secret", "64 bytes");
        keys.write("secret", "short");
        assertFinding(only(diagnose(config, Duration.ZERO), Diagnosis.Level.FAILURE), "keys", "length=5");
    }
}
