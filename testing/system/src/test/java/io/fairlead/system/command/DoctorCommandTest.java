package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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
            assertEquals("5", tcp.get("version").asString());
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
                    lines.stream().anyMatch(line -> line.startsWith("transport tcp       version 5: tagged, ")),
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
}
