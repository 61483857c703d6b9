package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The demo, each of its processes real. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DemoCommandTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final List<String> NAMES = List.of("fast", "steady", "slow");

    @Test
    void shouldVerifyEverySubscriberAndNameItsPath() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "2")) {
            demo.assertStatus(0);
            List<String> rows = demo.text()
                    .lines()
                    .filter(line -> line.contains("verified"))
                    .toList();
            assertEquals(3, rows.size(), demo.text());
            List<String> paths = demo.text()
                    .lines()
                    .filter(line -> line.startsWith("publisher -> "))
                    .toList();
            assertEquals(3, paths.size(), demo.text());
            assertTrue(paths.stream().allMatch(path -> path.contains(" over ")), paths::toString);
        }
    }

    @Test
    void shouldPrintOneJsonDocumentAndNothingElse() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "2", "--json")) {
            demo.assertStatus(0);
            assertEquals(1, demo.text().lines().count(), demo.text());
            JsonNode report = JSON.readTree(demo.text());
            assertEquals(Set.of("subscribers", "ok", "warmUpSeconds"), keys(report));
            assertEquals(1, report.get("warmUpSeconds").asDouble());
            assertTrue(report.get("ok").asBoolean());
            assertEquals(NAMES, names(report));
            for (JsonNode row : report.get("subscribers")) {
                assertVerified(row);
            }
            JsonNode slow = report.get("subscribers").get(2);
            assertTrue(slow.get("gaps").asLong() > 0, "the slow subscriber missed nothing: " + slow);
        }
    }

    @Test
    void shouldVerifyEverySubscriberWhileConnectionsAreReset() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "4", "--switch-every", "0.5s", "--json")) {
            demo.assertStatus(0);
            JsonNode report = JSON.readTree(demo.text());
            assertTrue(report.get("ok").asBoolean(), demo.text());
            for (JsonNode row : report.get("subscribers")) {
                assertTrue(row.get("checksumOk").asBoolean(), row::toString);
                assertTrue(row.get("switches").asLong() > 0, row::toString);
                assertEquals("tcp", row.get("path").get("transport").asString(), row::toString);
            }
            assertEquals(0, report.get("subscribers").get(0).get("gaps").asLong(), demo.text());
        }
    }

    /** UCX's own shared memory, which is not what a host without network cards takes by itself. */
    @Test
    void shouldVerifyEverySubscriberOverUcx() throws Exception {
        assumeUcx();
        try (CommandRun demo = CommandRun.startWithUcx("demo", "--seconds", "2", "--policy", "ucx", "--json")) {
            demo.assertStatus(0);
            JsonNode report = JSON.readTree(demo.text());
            assertTrue(report.get("ok").asBoolean());
            assertEquals(NAMES, names(report));
            for (JsonNode row : report.get("subscribers")) {
                assertVerified(row);
                assertEquals("ucx", row.get("path").get("transport").asString(), row::toString);
            }
        }
    }

    @Test
    void shouldSecureEveryProcessWithKeysOfTheRun(@TempDir Path temporary) throws Exception {
        int port = freePort();
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);
        try (CommandRun demo = CommandRun.start(
                environment, "demo", "--security", "--seconds", "6", "--port", String.valueOf(port), "--json")) {
            demo.awaitError("fast [1-9].*steady [1-9].*slow [1-9]");
            assertEquals(List.of("fairlead-keys"), keyFolders(temporary));
            assertPlainPeerIsRefused(port);
            demo.assertStatus(0);
            JsonNode report = JSON.readTree(demo.text());
            assertEquals("encrypted", report.get("security").asString());
            for (JsonNode row : report.get("subscribers")) {
                assertVerified(row);
            }
            assertEquals(List.of(), keyFolders(temporary), "keys are deleted at the end");
        }
    }

    @Test
    void shouldDeleteTheKeysOfTheRunWhenTerminated(@TempDir Path temporary) throws Exception {
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);
        try (CommandRun demo = CommandRun.start(environment, "demo", "--security", "--seconds", "60")) {
            // Its processes are stopped, so that the command has more to wait for than it has time to end in order.
            demo.awaitError("processes: .*");
            List<ProcessHandle> children = demo.handle().children().toList();
            try {
                for (ProcessHandle child : children) {
                    Process stop = new ProcessBuilder("kill", "-STOP", String.valueOf(child.pid())).start();
                    assertEquals(0, stop.waitFor());
                }
                demo.terminate();
                demo.assertStatus(143);
                assertEquals(List.of(), keyFolders(temporary));
            } finally {
                children.forEach(ProcessHandle::destroyForcibly);
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The folders of keys, without the random ends of their names. */
    private static List<String> keyFolders(Path temporary) throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("fairlead-keys"))
                    .map(name -> name.replaceAll("\\d+$", ""))
                    .toList();
        }
    }

    /** A process that has no keys finds TLS at the publisher's port. */
    private static void assertPlainPeerIsRefused(int port) throws Exception {
        try (CommandRun plain = CommandRun.start("sub", "--connect", "127.0.0.1:" + port, "demo")) {
            plain.awaitError("does not speak TLS");
        }
    }

    private static void assertVerified(JsonNode row) {
        assertEquals(
                new TreeSet<>(List.of("name", "sent", "received", "gaps", "checksumOk", "path", "p50Us", "p99Us")),
                new TreeSet<>(keys(row)));
        assertEquals(Set.of("transport", "device", "reason"), keys(row.get("path")));
        assertFalse(row.get("path").get("reason").asString().isEmpty(), row::toString);
        assertTrue(row.get("checksumOk").asBoolean(), row::toString);
        assertTrue(row.get("received").asLong() > 0, row::toString);
        assertEquals(
                row.get("sent").asLong(),
                row.get("received").asLong() + row.get("gaps").asLong(),
                row::toString);
        assertTrue(row.get("p50Us").asDouble() > 0, row::toString);
        assertTrue(row.get("p99Us").asDouble() >= row.get("p50Us").asDouble(), row::toString);
        if (!row.get("name").asString().equals("slow")) {
            assertEquals(0, row.get("gaps").asLong(), row::toString);
        }
    }

    @Test
    void shouldLetTheOthersGoOnWhenASubscriberIsKilled() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "4", "--json")) {
            killOnceRunning(demo, "steady");
            demo.awaitError("fairlead: steady: was killed by signal 9");
            demo.assertStatus(1);
            JsonNode report = JSON.readTree(demo.text());
            assertFalse(report.get("ok").asBoolean());
            assertVerified(report.get("subscribers").get(0));
            assertVerified(report.get("subscribers").get(2));
            JsonNode killed = report.get("subscribers").get(1);
            assertFalse(killed.get("checksumOk").asBoolean());
            assertEquals("was killed by signal 9", killed.get("error").asString());
        }
    }

    @Test
    void shouldEndTheSubscribersWithANamedErrorWhenThePublisherIsKilled() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "100", "--json")) {
            killOnceRunning(demo, "publisher");
            demo.assertStatus(1);
            JsonNode report = JSON.readTree(demo.text());
            assertFalse(report.get("ok").asBoolean());
            for (JsonNode row : report.get("subscribers")) {
                assertTrue(row.get("error").asString().startsWith("publisher lost after "), row::toString);
            }
            assertTrue(demo.errors().contains("fairlead: publisher: was killed by signal 9"), demo.errors()::toString);
        }
    }

    @Test
    void shouldEndEveryProcessWhenTheDemoIsTerminated() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "100")) {
            demo.awaitError("steady [1-9]");
            List<ProcessHandle> children = demo.handle().children().toList();
            assertEquals(4, children.size());
            demo.terminate();
            demo.assertStatus(143);
            assertAllEnd(children);
        }
    }

    @Test
    void shouldEndEveryProcessWhenTheDemoIsKilled() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "100")) {
            demo.awaitError("steady [1-9]");
            List<ProcessHandle> children = demo.handle().children().toList();
            assertEquals(4, children.size());
            demo.kill();
            assertAllEnd(children);
        }
    }

    @Test
    void shouldRefuseOptionsThatAreOutOfRange() throws Exception {
        assertRefused(
                "Invalid value for option '--seconds': 0 s is out of range, allowed 0.01 to 86400 s", "--seconds", "0");
        assertRefused("option out of range: --port=65536, 0 to 65535; change it", "--port", "65536");
        assertRefused("too few ports for the demo: metrics.port=65534", "--metrics-port", "65534");
    }

    @Test
    void shouldRefuseTransportsBeforeAnyProcessIsStarted() throws Exception {
        assertRefused("no such transport: transports=nope, transport=nope, one of ", "-s", "transports=nope");
        assertRefused(
                "policy=shm names a transport that is left out: transports=tcp (--set); add it there or change the policy",
                "-s",
                "transports=tcp",
                "--policy=shm");
    }

    /** Only the publisher, in a process of its own, sees that the two keys contradict each other. */
    @Test
    void shouldTakeWhatAProcessRefusesForAMistakeOfTheCommandLine() throws Exception {
        assertRefused("endpoint.credit-bytes is too small for endpoint.eager-max", "-s", "endpoint.credit-bytes=64KiB");
    }

    private static void assertRefused(String expected, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("demo"));
        command.addAll(List.of(arguments));
        try (CommandRun demo = CommandRun.start(command.toArray(String[]::new))) {
            demo.assertStatus(2);
            assertEquals(1, demo.errors().size(), demo.errors()::toString);
            assertTrue(demo.errors().getFirst().startsWith("fairlead: " + expected), demo.errors()::toString);
        }
    }

    private static void assumeUcx() throws Exception {
        try (CommandRun info = CommandRun.startWithUcx("info", "--policy", "ucx", "--json")) {
            info.assertStatus(0);
            JsonNode ucx = JSON.readTree(info.text())
                    .get("transports")
                    .valueStream()
                    .filter(transport -> transport.get("name").asString().equals("ucx"))
                    .findFirst()
                    .orElseThrow();
            assumeTrue(ucx.get("available").asBoolean(), ucx::toString);
        }
    }

    /** Kills a process of the demo once rows have reached all subscribers. */
    private static void killOnceRunning(CommandRun demo, String name) throws InterruptedException {
        String pid = demo.awaitError("processes: .*\\b" + name + " (\\d+)");
        demo.awaitError("fast [1-9].*steady [1-9].*slow [1-9]");
        Optional<ProcessHandle> child = ProcessHandle.of(Long.parseLong(pid));
        assertTrue(child.orElseThrow().destroyForcibly());
    }

    private static void assertAllEnd(List<ProcessHandle> children) throws Exception {
        for (ProcessHandle child : children) {
            child.onExit().get(60, TimeUnit.SECONDS);
        }
    }

    private static Collection<String> keys(JsonNode node) {
        return Set.copyOf(node.propertyNames());
    }

    private static List<String> names(JsonNode report) {
        return report.get("subscribers")
                .valueStream()
                .map(row -> row.get("name").asString())
                .toList();
    }
}
