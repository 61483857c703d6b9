package io.fairlead.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Perftest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** That the command measures, and says what it measured. How fast anything is, no test asks. */
@Timeout(value = 480, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PerfCommandTest {
    private static final List<String> SHORT = List.of("--iterations=40", "--warmup=40", "--rounds=2");

    @TempDir
    private Path folder;

    private String[] arguments(String... first) {
        return Stream.concat(Arrays.stream(first), SHORT.stream()).toArray(String[]::new);
    }

    private JsonNode report(Path file) throws IOException {
        return JsonMapper.builder().build().readTree(Files.readString(file));
    }

    private static Set<String> values(JsonNode array, String field) {
        Set<String> values = new TreeSet<>();
        array.forEach(node -> values.add(node.get(field).asString()));
        return values;
    }

    /** Nothing is measured that could not be kept: it says so before the path, which is the first line. */
    @Test
    void shouldNameAFileThatCannotBeWrittenBeforeItMeasures() throws Exception {
        Path file = folder.resolve("no-such-folder/report.json");
        try (PerfProcess perf = PerfProcess.start(arguments("--transport=tcp", "--json=" + file))) {
            assertEquals(List.of(), perf.assertStatus(1));
            assertTrue(
                    perf.errors().stream().anyMatch(line -> line.contains("cannot write the report: file=" + file)),
                    perf.errors()::toString);
        }
    }

    @Test
    void shouldRunEveryTestOverTcp() throws Exception {
        Path file = folder.resolve("report.json");
        try (PerfProcess perf = PerfProcess.start(arguments("--transport=tcp", "--json=" + file))) {
            String output = String.join("\n", perf.assertStatus(0));
            assertTrue(output.startsWith("path: tcp over "), output);
            PerfTest.names().forEach(name -> assertTrue(output.contains(name), output));
        }
        JsonNode report = report(file);
        assertEquals(Set.of("rows", "goals"), Set.copyOf(report.propertyNames()));
        for (JsonNode row : report.get("rows")) {
            assertEquals(
                    Set.of("suite", "case", "subject", "size", "metric", "value", "unit"),
                    Set.copyOf(row.propertyNames()));
            assertEquals("fairlead", row.get("subject").asString());
            assertTrue(row.get("value").asDouble() >= 0, row::toString);
        }
        assertEquals(Set.copyOf(PerfTest.names()), values(report.get("rows"), "case"));
        assertTrue(
                values(report.get("rows"), "metric")
                        .containsAll(Set.of("p50", "p50-min", "p99", "max", "rate", "bandwidth", "allocated", "batch")),
                report::toString);
        assertTrue(values(report.get("goals"), "id").contains("tag-lat-8B-allocation"), report::toString);
    }

    @Test
    void shouldRunOverSharedMemory() throws Exception {
        try (PerfProcess perf = PerfProcess.start(arguments("--transport=shm"))) {
            String output = String.join("\n", perf.assertStatus(0));
            assertTrue(output.startsWith("path: shm over memory [rings"), output);
        }
    }

    @Test
    void shouldRunOverUcx() throws Exception {
        assumeUcx();
        try (PerfProcess perf = PerfProcess.start(arguments("--transport=ucx"))) {
            String output = String.join("\n", perf.assertStatus(0));
            assertTrue(output.startsWith("path: ucx over "), output);
        }
    }

    @Test
    void shouldCompareWithOtherContestants() throws Exception {
        assumeUcx();
        assumeTrue(Perftest.find("self").isPresent(), "ucx_perftest is not installed");
        Path file = folder.resolve("report.json");
        // More than in the other cases: the clock of the C program may not move during forty puts.
        try (PerfProcess perf = PerfProcess.start(
                "tag-lat",
                "put-lat",
                "tag-bw",
                "put-bw",
                "get-lat",
                "fadd",
                "--compare",
                "--iterations=5000",
                "--warmup=40",
                "--rounds=1",
                "--sizes=8",
                "--json=" + file)) {
            perf.assertStatus(0);
        }
        JsonNode report = report(file);
        assertEquals(
                Set.of(
                        "ucx_perftest",
                        "fairlead",
                        "fairlead/ucx",
                        "ucx_perftest-e",
                        "fairlead/ucx_perftest",
                        "fairlead/fairlead/ucx",
                        "fairlead/ucx/ucx_perftest-e"),
                values(report.get("rows"), "subject"));
        for (JsonNode row : report.get("rows")) {
            assertEquals(
                    row.get("subject").asString().matches("fairlead/(ucx_perftest|fairlead/ucx|ucx/ucx_perftest-e)"),
                    row.get("unit").asString().equals("ratio"),
                    row::toString);
        }
        Set<String> goals = values(report.get("goals"), "id");
        assertTrue(
                goals.containsAll(Set.of(
                        "tag-bw-8B-rate-limit",
                        "tag-bw-8B-rate-goal",
                        "tag-bw-8B-rate-ucx-goal",
                        "fadd-8B-allocation")),
                goals::toString);
        // Which of the two depends on how the machine's clock steps, and on its mood.
        for (String test : List.of("tag-lat", "get-lat")) {
            assertTrue(
                    goals.contains(test + "-8B-mean-limit") || goals.contains(test + "-8B-p50-limit"), goals::toString);
        }
        report.get("rows")
                .forEach(row -> assertTrue(
                        row.get("value").asDouble() > 0
                                || row.get("metric").asString().equals("allocated"),
                        row::toString));
    }

    @Test
    void shouldCompareWithoutFairleadOverUcxWhereThatCannotBeUsed() throws Exception {
        assumeTrue(Perftest.find("self").isPresent(), "ucx_perftest is not installed");
        Path file = folder.resolve("report.json");
        try (PerfProcess perf =
                PerfProcess.start(arguments("fadd", "--compare", "--set=transports=shm,tcp", "--json=" + file))) {
            perf.assertStatus(0);
            assertTrue(
                    perf.errors().stream()
                            .anyMatch(line -> line.contains("fairlead/ucx is left out: ucx cannot be used: ")),
                    perf.errors()::toString);
        }
        assertEquals(
                Set.of("ucx_perftest", "fairlead", "fairlead/ucx_perftest"),
                values(report(file).get("rows"), "subject"));
    }

    /** So that no contestant carries what the compiler has learnt of another. */
    @Test
    void shouldGiveEachContestantTwoProcessesOfItsOwn() throws Exception {
        assumeUcx();
        assumeTrue(Perftest.find("self").isPresent(), "ucx_perftest is not installed");
        try (PerfProcess perf = PerfProcess.start("fadd", "--compare", "--seconds=3600", "--rounds=1")) {
            assertTrue(perf.line().startsWith("path: shm over "));
            assertEquals(4, children(perf).size(), "two of fairlead and two of fairlead/ucx");
        }
    }

    @Test
    void shouldSayInOneLineWhichProcessOfAComparisonDied() throws Exception {
        assumeTrue(Perftest.find("self").isPresent(), "ucx_perftest is not installed");
        try (PerfProcess perf =
                PerfProcess.start("tag-lat", "--compare", "--set=transports=shm,tcp", "--seconds=3600", "--rounds=1")) {
            assertTrue(perf.line().startsWith("path: shm over "));
            children(perf).getLast().destroyForcibly();
            perf.assertStatus(1);
            assertEquals(
                    List.of("fairlead: the leading process of fairlead has ended: status=137"),
                    perf.errors().stream()
                            .filter(line -> line.startsWith("fairlead: ") && !line.contains("is left out"))
                            .toList());
        }
    }

    private static List<ProcessHandle> children(PerfProcess perf) {
        return perf.descendants()
                .filter(child -> commandLine(child).contains("\0" + ComparedSide.class.getName() + "\0"))
                .sorted(Comparator.comparingLong(ProcessHandle::pid))
                .toList();
    }

    /** From the kernel: Java's own answer leaves out what follows a long class path. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException ended) {
            return "";
        }
    }

    @Test
    void shouldNameThePackageOfTheMissingProgram() throws Exception {
        try (PerfProcess perf = PerfProcess.start(Map.of("PATH", folder.toString()), arguments("--compare"))) {
            assertTrue(perf.assertFailure(1).contains("install the package ucx-utils"));
        }
    }

    private static void assumeUcx() throws Exception {
        try (PerfProcess perf =
                PerfProcess.start("fadd", "--transport=ucx", "--iterations=1", "--warmup=1", "--rounds=1")) {
            perf.awaitEnd();
            assumeTrue(
                    perf.errors().stream().noneMatch(line -> line.contains("ucx cannot be used")),
                    perf.errors().toString());
        }
    }

    @Test
    void shouldServeOneClientAfterTheOtherEvenIfOneDies() throws Exception {
        try (PerfProcess server = PerfProcess.start("server", "--listen=127.0.0.1:0", "--transport=tcp")) {
            String address = server.line().replaceFirst("perf server at ", "");
            try (PerfProcess first =
                    PerfProcess.start("tag-lat", "--connect=" + address, "--transport=tcp", "--seconds=3600")) {
                assertTrue(first.line().startsWith("path: "));
                first.kill();
            }
            for (int client = 0; client < 2; client++) {
                try (PerfProcess next = PerfProcess.start(
                        arguments("put-lat", "get-bw", "--connect=" + address, "--transport=tcp", "--sizes=64"))) {
                    assertTrue(String.join("\n", next.assertStatus(0)).contains("64 B"));
                }
            }
        }
    }

    @Test
    void shouldFailWhereNobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (PerfProcess perf = PerfProcess.start("--connect=127.0.0.1:" + port)) {
            String said = perf.assertFailure(1);
            assertTrue(said.contains("127.0.0.1:" + port), said);
        }
    }

    @Test
    void shouldFailWhereThePortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                PerfProcess server = PerfProcess.start("server", "--listen=127.0.0.1:" + taken.getLocalPort())) {
            String said = server.assertFailure(1);
            assertTrue(said.contains(String.valueOf(taken.getLocalPort())), said);
        }
    }

    @Test
    void shouldRefuseWrongUse() throws Exception {
        assertRefused("unknown test: test=tag-lag", "tag-lag");
        assertRefused("--window", "tag-bw", "--window=0");
        assertRefused("no such transport: transport=pigeon", "--transport=pigeon");
        assertRefused("--policy", "--policy=tcp-only", "--transport=ucx");
        assertRefused("--policy", "--policy=tcp-only", "--compare");
        assertRefused("--compare", "--compare", "--transport=ucx");
        assertRefused("--compare", "--compare", "--connect=127.0.0.1:1");
    }

    private static void assertRefused(String part, String... arguments) throws Exception {
        try (PerfProcess perf = PerfProcess.start(arguments)) {
            String said = perf.assertFailure(2);
            assertTrue(said.contains(part), said);
            assertFalse(said.contains("Exception"), said);
        }
    }
}
