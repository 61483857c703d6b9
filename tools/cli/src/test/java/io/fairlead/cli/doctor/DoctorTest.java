package io.fairlead.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor finds, without a process. */
@Timeout(60)
final class DoctorTest {
    @Test
    void shouldFailForAJdkThatIsTooOld() {
        assertEquals(
                Diagnosis.Level.FAILURE,
                JavaDiagnosis.release(Runtime.Version.parse("24.0.2"), "any").level());
        assertEquals(
                Diagnosis.Level.OK,
                JavaDiagnosis.release(Runtime.Version.parse("25"), "any").level());
    }

    @Test
    void shouldTellTheModeAndTheTransportsAndLookAtTheToken(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "0123456789abcdef");
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, "tcp")
                .with(ConfigKeys.METRICS_TOKEN_FILE, token.toString());
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        assertEquals(
                "security.mode=off, transports=tcp", named("security", config).finding());
        assertEquals("chmod 600 " + token, named("metrics token", config).remedy());
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-rw----"));
        assertEquals("chmod g-w " + token, named("metrics token", config).remedy());
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r-----"));
        assertEquals(Diagnosis.Level.OK, named("metrics token", config).level());
    }

    private static Diagnosis named(String name, FairleadConfig config) {
        return DoctorCommand.host(config).stream()
                .filter(finding -> finding.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no such finding: name=" + name));
    }

    /** As a context prefers them. */
    @Test
    void shouldTellOfSharedMemoryBeforeUcx() {
        List<String> names = DoctorCommand.host(FairleadConfig.defaults()).stream()
                .map(Diagnosis::name)
                .toList();
        List<String> transports = names.stream()
                .map(name -> name.replaceFirst(" .*", ""))
                .filter(List.of("shm", "ucx")::contains)
                .distinct()
                .toList();
        assertEquals(List.of("shm", "ucx"), transports, names::toString);
        assertTrue(names.contains("liveness"), names::toString);
    }

    @Test
    void shouldNameModulesWithoutNativeAccess() {
        Module denied = java.util.logging.Logger.class.getModule();
        assertFalse(denied.isNativeAccessEnabled(), "the JDK's own modules have it only where they need it");
        Diagnosis finding = JavaDiagnosis.nativeAccess(List.of(getClass().getModule(), denied));
        assertEquals(Diagnosis.Level.WARNING, finding.level());
        assertEquals("start Java with --enable-native-access=java.logging", finding.remedy());
    }

    @Test
    void shouldReportATransportWhoseOwnChecksThrow() {
        List<Diagnosis> findings = DoctorCommand.diagnose(new Throwing());
        assertEquals(Diagnosis.Level.FAILURE, findings.getFirst().level());
        assertTrue(findings.getFirst().finding().contains("out of luck"), findings::toString);
        DoctorReport report = DoctorReport.of(findings, Optional.empty());
        assertFalse(report.ok());
        assertEquals(1, report.count(Diagnosis.Level.FAILURE));
    }

    private static final class Throwing implements TransportProvider {
        @Override
        public String name() {
            return "throwing";
        }

        @Override
        public Availability availability() {
            return Availability.AVAILABLE;
        }

        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of();
        }

        @Override
        public List<Diagnosis> diagnose() {
            throw new IllegalStateException("out of luck");
        }

        @Override
        public Transport open(TransportSetup setup) {
            throw new UnsupportedOperationException("this transport is for its diagnosis only");
        }
    }
}
