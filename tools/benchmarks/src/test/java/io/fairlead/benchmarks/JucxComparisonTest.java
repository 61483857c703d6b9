package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.cli.FairleadCommand;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.process.JavaCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** That raw JUCX takes its turns in {@code fairlead bench perf --compare}, in processes of its own. How fast it is, no test asks. */
@Timeout(value = 480, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JucxComparisonTest {
    @TempDir
    private Path folder;

    @Test
    void shouldMeasureJucxBesideFairleadWhereItHasTheTest() throws Exception {
        assumeTrue(Perftest.find("self").isPresent(), "ucx_perftest is not installed");
        assumeUcx();
        Path file = folder.resolve("report.json");
        int status = perf(
                "tag-lat",
                "get-bw",
                "fadd",
                "--compare",
                "--iterations=5000",
                "--warmup=40",
                "--rounds=1",
                "--sizes=8",
                "--json=" + file);
        assertEquals(0, status, Files.readString(said()));
        List<Row> rows = Report.read(file).rows();
        assertEquals(
                Set.of("ucx_perftest", "fairlead", "fairlead/ucx", "ucx_perftest-e", "jucx"),
                rows.stream()
                        .filter(row -> row.name().equals("tag-lat")
                                && row.metric().equals("mean")
                                && !row.unit().equals("ratio"))
                        .map(Row::subject)
                        .collect(Collectors.toSet()));
        assertEquals(
                Set.of("tag-lat", "get-bw"),
                rows.stream()
                        .filter(row -> row.subject().equals("jucx"))
                        .map(Row::name)
                        .collect(Collectors.toSet()),
                "JUCX has no atomics");
        assertTrue(
                rows.stream()
                        .filter(row -> row.subject().equals("jucx")
                                && Set.of("mean", "rate").contains(row.metric()))
                        .allMatch(row -> row.value() > 0),
                rows::toString);
    }

    @Test
    void shouldMeasureRemoteMemoryByItsOwnName() throws Exception {
        assumeTrue(Perftest.find("self").isPresent(), "ucx_perftest is not installed");
        Path file = folder.resolve("report.json");
        int status = bench("rma", "--quick", "--json=" + file);
        String said = Files.readString(said());
        assumeTrue(!said.contains("the machine is busy"), said);
        assertEquals(0, status, said);
        assertEquals(
                Set.of("put-lat", "put-bw", "get-lat", "get-bw", "fadd"),
                Report.read(file).rows().stream().map(Row::name).collect(Collectors.toSet()));
    }

    private void assumeUcx() throws Exception {
        int _ = perf("fadd", "--transport=ucx", "--iterations=1", "--warmup=1", "--rounds=1");
        String said = Files.readString(said());
        assumeTrue(!said.contains("ucx cannot be used"), said);
    }

    private Path said() {
        return folder.resolve("said.txt");
    }

    private int perf(String... arguments) throws Exception {
        return bench(Stream.concat(Stream.of("perf"), Stream.of(arguments)).toArray(String[]::new));
    }

    /** Runs the command as the launcher starts it; returns its exit status. */
    private int bench(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("bench"));
        all.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.measured(List.of(), FairleadCommand.class, all))
                .redirectErrorStream(true)
                .redirectOutput(said().toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("FAIRLEAD_"));
        // On a busy machine processes that spin leave little to those that connect.
        builder.environment().put("FAIRLEAD_CONNECT_TIMEOUT", "60s");
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        builder.environment().put("UCX_HANDLE_ERRORS", "none");
        builder.environment().put("UCX_LOG_FILE", "stderr");
        Process command = builder.start();
        try {
            return command.waitFor();
        } finally {
            command.descendants().forEach(ProcessHandle::destroyForcibly);
            command.destroyForcibly();
        }
    }
}
