package io.fairlead.benchmarks.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.scale.Table.Line;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.perf.PerfPlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** What is said of figures, and of points that could not be measured. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScaleReportTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Report report = new Report();
    private final ScaleReport scale =
            new ScaleReport(new PrintStream(printed, true, StandardCharsets.UTF_8), report, line -> {});

    private static Line endpoints(String series, int count, double p50Us, double bytes) {
        return new Line(
                series, count, String.valueOf(count), 8, List.of(List.of(p50Us, 2 * p50Us), List.of(bytes, bytes)));
    }

    @Test
    void shouldCompareWithTheFirstOfTheSameSeries() {
        scale.add(
                Tables.ENDPOINTS,
                List.of(
                        endpoints("tcp", 1, 10, Double.NaN),
                        endpoints("tcp", 1000, 12, 8000),
                        endpoints("shm", 1, 1, Double.NaN),
                        endpoints("shm", 1000, 3, 90_000)));
        assertEquals(
                List.of("tcp-1000 tcp/1 p50 1.2", "shm-1000 shm/1 p50 3.0"),
                report.rows().stream()
                        .filter(row -> row.unit().equals("ratio"))
                        .map(row -> row.name() + " " + row.subject() + " " + row.metric() + " " + row.value())
                        .sorted(Comparator.reverseOrder())
                        .toList());
    }

    @Test
    void shouldHaveGoalsForAThousandEndpointsOverTcp() {
        scale.add(Tables.ENDPOINTS, List.of(endpoints("tcp", 1, 10, Double.NaN), endpoints("tcp", 1000, 14, 65_536)));
        scale.add(Tables.ENDPOINTS, List.of(endpoints("shm", 1, 10, Double.NaN), endpoints("shm", 1000, 14, 1)));
        assertEquals(
                List.of("p50 1000/1 false", "bytes-per-idle-endpoint true"),
                report.goals().stream()
                        .map(goal -> goal.id().replace("scale-endpoints tcp ", "") + " " + goal.met())
                        .toList());
    }

    @Test
    void shouldSayBelowTheTableWhatWasLeftOut() {
        Table table = new Table(
                "nothing",
                "what cannot start",
                List.of(),
                (plan, run) -> run.start(Map.of("shm 7", () -> {
                    throw new IOException("no room; make some");
                })));
        scale.measure(
                table,
                new ScalePlan(
                        new Rounds.Plan(1, 1, 1), List.of(), List.of(), List.of(), List.of(), List.of(), List.of()));
        assertTrue(
                printed.toString(StandardCharsets.UTF_8).contains("left out: shm 7: no room; make some"),
                () -> printed.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldRefuseATableThatThereIsNot() {
        CommandLine command = new CommandLine(new ScaleCommand());
        command.setErr(new PrintWriter(printed, true, StandardCharsets.UTF_8));
        assertEquals(2, command.execute("endpoints", "nothing"));
        assertTrue(
                printed.toString(StandardCharsets.UTF_8).contains("name=nothing"),
                () -> printed.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReachAGibibyteInStepsOfEight() {
        List<Integer> sizes = ScalePlan.FULL.sizes();
        assertEquals(8, sizes.getFirst());
        assertEquals(1 << 30, sizes.getLast());
        assertEquals("1 GiB", PerfPlan.sizeText(sizes.getLast()));
        assertFalse(sizes.stream().anyMatch(size -> size <= 0));
    }
}
