package io.fairlead.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.process.CommandRun;
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
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The doctor and the information, as a user runs them. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DoctorCommandTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void shouldTellThePathThatAPairReallyTook() throws Exception {
        try (CommandRun doctor = CommandRun.start("doctor", "--json", "--set", "transports=tcp")) {
            doctor.assertStatus(0);
            JsonNode report = JSON.readTree(doctor.text());
            assertTrue(report.get("ok").asBoolean());
            assertEquals("tcp", report.get("path").get("transport").asString());
            assertFalse(report.get("path").get("reason").asString().isEmpty());
            Set<String> names = report.get("checks")
                    .valueStream()
                    .map(check -> check.get("name").asString())
                    .collect(Collectors.toSet());
            assertTrue(names.containsAll(Set.of("jdk", "native access", "tcp loopback", "path")), names::toString);
            assertTrue(names.stream().noneMatch(name -> name.matches("(shm|ucx|jucx)\\b.*")), names::toString);
            for (JsonNode check : report.get("checks")) {
                boolean ok = check.get("level").asString().equals("ok");
                assertEquals(ok, check.get("remedy").asString().isEmpty(), check::toString);
            }
        }
    }

    @Test
    void shouldEndWithStatusOneAndARemedyWhereAPairCannotTalk() throws Exception {
        try (CommandRun doctor = CommandRun.start("doctor", "--policy", "require-rdma", "--set", "transports=tcp")) {
            doctor.assertStatus(1);
            String line = doctor.text()
                    .lines()
                    .filter(text -> text.startsWith("failure  path "))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(text(doctor)));
            assertTrue(line.contains("require-rdma") && line.contains("; mend"), line);
        }
    }

    private static String text(CommandRun run) {
        try {
            return run.text();
        } catch (Exception unreadable) {
            return unreadable.toString();
        }
    }

    @Test
    void shouldRefuseAWrongConfigurationAsUsage() throws Exception {
        try (CommandRun doctor = CommandRun.start("doctor", "--set", "transport=tcp")) {
            doctor.assertStatus(2);
            assertTrue(doctor.errors().getFirst().contains("did you mean transports?"), doctor.errors()::toString);
        }
    }

    @Test
    void shouldPrintTransportsAndKeysWithTheirOrigin() throws Exception {
        try (CommandRun info = CommandRun.start("info", "--json", "--set", "transports=tcp")) {
            info.assertStatus(0);
            JsonNode report = JSON.readTree(info.text());
            JsonNode tcp = named(report.get("transports"), "tcp");
            assertTrue(tcp.get("available").asBoolean());
            assertEquals("4", tcp.get("version").asString());
            assertTrue(tcp.get("capabilities").toString().contains("\"put-signal\""), tcp::toString);
            for (String other : List.of("shm", "ucx")) {
                JsonNode row = named(report.get("transports"), other);
                assertEquals(
                        "not among the configured transports", row.get("cause").asString());
            }
            JsonNode key = named(report.get("keys"), "transports");
            assertEquals("", key.get("default").asString());
            assertEquals("tcp", key.get("value").asString());
            assertEquals("code", key.get("origin").asString());
        }
    }

    private static JsonNode named(JsonNode rows, String name) {
        return rows.valueStream()
                .filter(row -> row.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no row of that name: name=" + name + " in " + rows));
    }

    @Test
    void shouldPrintInformationForReaders() throws Exception {
        try (CommandRun info = CommandRun.start("info", "--set", "transports=tcp")) {
            info.assertStatus(0);
            List<String> lines = info.text().lines().toList();
            assertTrue(
                    lines.stream().anyMatch(line -> line.startsWith("transport tcp       version 4: tagged, ")),
                    lines::toString);
            for (String other : List.of("shm", "ucx")) {
                assertTrue(
                        lines.contains(
                                "transport " + other + "       not available: not among the configured transports"),
                        lines::toString);
            }
            assertTrue(lines.stream().anyMatch(line -> line.matches("policy +auto")), lines::toString);
            assertTrue(
                    lines.stream().anyMatch(line -> line.matches("transports +tcp  \\(code; default empty\\)")),
                    lines::toString);
        }
    }

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
    void shouldFailForRulesThatAllUsersCanWrite(@TempDir Path folder) throws Exception {
        Path rules =
                Files.writeString(folder.resolve("acl.conf"), "rules = [ { identity = \"*\", connect = true } ]\n");
        Files.setPosixFilePermissions(rules, PosixFilePermissions.fromString("rw-r--rw-"));
        try (CommandRun doctor =
                CommandRun.start("doctor", "--set", "transports=tcp", "--set", "security.acl=" + rules)) {
            doctor.assertStatus(1);
            List<String> lines = doctor.text().lines().toList();
            assertTrue(
                    lines.stream()
                            .anyMatch(
                                    line -> line.matches("failure +acl +all users of this host can write .*; chmod o-w "
                                            + Pattern.quote(rules.toString()))),
                    lines::toString);
        }
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
