package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.perf.Perftest;
import io.fairlead.cli.process.JavaCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** That raw JUCX takes its turns in {@code fairlead bench perf --compare}, in processes of its own. How fast it is, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JucxComparisonTest {
    @TempDir
    private Path folder;

    @Test
    void shouldMeasureJucxBesideFairleadWhereItHasTheTest() throws Exception {
        assumeTrue(Perftest.find("self").isPresent(), "ucx_perftest is not installed");
        try (Context context = Context.open(FairleadConfig.defaults())) {
            assumeTrue(
                    context.transports().stream().anyMatch(info -> info.name().equals("ucx") && info.available()),
                    () -> "ucx cannot be used: " + context.transports());
        }
        Path file = folder.resolve("report.json");
        Process command = new ProcessBuilder(JavaCommand.measuredChild(List.of(
                        "bench",
                        "perf",
                        "tag-lat",
                        "get-bw",
                        "fadd",
                        "--compare",
                        "--iterations=5000",
                        "--warmup=40",
                        "--rounds=2",
                        "--sizes=8",
                        "--json=" + file)))
                .inheritIO()
                .start();
        try {
            assertEquals(0, command.waitFor());
        } finally {
            command.descendants().forEach(ProcessHandle::destroyForcibly);
            command.destroyForcibly();
        }
        List<Row> rows = Report.read(file).rows();
        assertEquals(
                Set.of("ucx_perftest", "fairlead", "fairlead/ucx", "jucx"),
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
}
