package io.fairlead.cli.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.perf.PerfProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The check between two processes of this host, which have everything but RDMA. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RdmaCheckCommandTest {
    private static final List<String> SHORT = List.of("--iterations=40", "--seconds=0.2");
    private static final String TCP = "--set=transports=tcp";

    @TempDir
    private Path folder;

    private static PerfProcess start(String... arguments) throws IOException {
        return PerfProcess.startCommand("rdma-check", Map.of(), arguments);
    }

    private static String address(PerfProcess listener) throws IOException {
        return listener.line().replaceFirst(RdmaCheckCommand.LISTENING, "");
    }

    private static String[] brief(String... first) {
        return Stream.concat(Arrays.stream(first), SHORT.stream()).toArray(String[]::new);
    }

    @Test
    void shouldReportAPairOverTcpAndSayThatItWasNotRdma() throws Exception {
        Path file = folder.resolve("report.json");
        try (PerfProcess listener = start("--listen=127.0.0.1:0", TCP);
                PerfProcess check = start(brief(address(listener), TCP, "--json=" + file))) {
            String output = String.join("\n", check.assertStatus(0));
            for (String part :
                    List.of("\nhere: fairlead ", "\npeer: fairlead ", "\npath: tcp over ", "\ndemo\n", "\nperf\n")) {
                assertTrue(output.contains(part), output);
            }
            assertTrue(output.contains("\n" + RdmaCheckCommand.NOT_RDMA + " TCP over "), output);
            assertFalse(output.contains("\n" + RdmaCheckCommand.RDMA), output);
        }
        JsonNode report = read(file);
        assertEquals(
                Set.of("time", "here", "peer", "path", "rdma", "checks", "figures", "ok"),
                Set.copyOf(report.propertyNames()));
        assertFalse(report.get("rdma").asBoolean());
        assertTrue(report.get("ok").asBoolean());
        assertEquals("tcp", report.get("path").get("transport").asString());
        assertFalse(report.get("peer").get("doctor").get("checks").isEmpty());
        assertEveryCheckPassed(report);
        Set<String> tests = new HashSet<>();
        report.get("figures").forEach(row -> tests.add(row.get("case").asString()));
        assertEquals(Set.copyOf(PerfTest.names()), tests);
    }

    @Test
    void shouldFailOverSharedMemoryWhereRdmaIsRequired() throws Exception {
        Path file = folder.resolve("report.json");
        try (PerfProcess listener = start("--listen=127.0.0.1:0");
                PerfProcess check = start(brief(address(listener), "--require-rdma", "--json=" + file))) {
            String output = String.join("\n", check.assertStatus(1));
            assumeTrue(output.contains("\npath: shm over memory"), "no shared memory here: " + output);
            assertTrue(output.contains("\n" + RdmaCheckCommand.NOT_RDMA + " both processes are on one host"), output);
            assertTrue(output.contains("--require-rdma"), output);
        }
        JsonNode report = read(file);
        assertFalse(report.get("ok").asBoolean());
        assertEquals("shared-memory", report.get("path").get("pathClass").asString());
        // The path alone is why it failed.
        assertEveryCheckPassed(report);
    }

    private static JsonNode read(Path file) throws IOException {
        return JsonMapper.builder().build().readTree(Files.readString(file));
    }

    private static void assertEveryCheckPassed(JsonNode report) {
        Set<String> parts = new HashSet<>();
        for (JsonNode check : report.get("checks")) {
            parts.add(check.get("part").asString());
            assertEquals("passed", check.get("result").asString(), check::toString);
        }
        assertEquals(Set.of("contract", "demo", "perf"), parts);
    }

    @Test
    void shouldEndWithAReportWhenThePeerDies() throws Exception {
        try (PerfProcess listener = start("--listen=127.0.0.1:0", TCP);
                PerfProcess check = start(brief(address(listener), TCP))) {
            String line = check.line();
            while (!line.equals("contract")) {
                line = check.line();
            }
            listener.kill();
            String output = String.join("\n", check.assertStatus(1));
            assertTrue(output.contains("  failed "), output);
            assertFalse(output.contains("Exception"), output);
            assertTrue(output.contains(" failed, "), output);
        }
    }

    @Test
    void shouldFailWhereNobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (PerfProcess check = start("127.0.0.1:" + port)) {
            String said = check.assertFailure(1);
            assertTrue(said.contains("127.0.0.1:" + port), said);
        }
    }

    @Test
    void shouldRefuseWrongUse() throws Exception {
        assertRefused("--listen");
        assertRefused("--listen", "host", "--listen=127.0.0.1:0");
        assertRefused("0 s is out of range, allowed 0.01 to 86400 s", "host", "--seconds=0");
        assertRefused("iterations", "host", "--iterations=0");
        assertRefused("malformed address", "--listen=nowhere");
    }

    private static void assertRefused(String part, String... arguments) throws Exception {
        try (PerfProcess check = start(arguments)) {
            String said = check.assertFailure(2);
            assertTrue(said.contains(part), said);
            assertFalse(said.contains("Exception"), said);
        }
    }

    @Test
    void shouldSeeAWrongByte() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(4096);
            CheckSide.fill(buffer, 4096, 3);
            CheckSide.verify(buffer, 4096, 3);
            assertThrows(CommandFailure.class, () -> CheckSide.verify(buffer, 4096, 4));
            buffer.set(ValueLayout.JAVA_BYTE, 4095, (byte) (buffer.get(ValueLayout.JAVA_BYTE, 4095) + 1));
            CommandFailure wrong = assertThrows(CommandFailure.class, () -> CheckSide.verify(buffer, 4096, 3));
            assertTrue(String.valueOf(wrong.getMessage()).contains("offset=4095"), wrong::getMessage);
        }
    }
}
