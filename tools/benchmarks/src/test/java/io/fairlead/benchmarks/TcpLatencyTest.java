package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** That the comparison runs, and writes what it says. How fast anything is, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TcpLatencyTest {
    @TempDir
    private Path folder;

    @Test
    void shouldMeasureBothContestantsInEveryRound() {
        List<String> progress = new ArrayList<>();
        Schedule schedule = new Schedule(List.of(8, 4096), 1, 2, 20);
        List<TcpLatency.Result> results = new TcpLatency(schedule, progress::add).run();
        assertEquals(
                schedule.sizes(), results.stream().map(TcpLatency.Result::size).toList());
        for (TcpLatency.Result result : results) {
            assertEquals(2, result.rawP50().size());
            assertEquals(2, result.ratios().size());
            assertTrue(result.fairleadP50().stream().allMatch(figure -> figure > 0), result::toString);
            assertTrue(result.allocatedPerOperation() >= 0, result::toString);
        }
        assertEquals(2 * 3, progress.size());
    }

    @Test
    void shouldKeepItsScheduleInText() {
        Schedule schedule = new Schedule(List.of(8, 65536), 1, 2, 20);
        assertEquals(schedule, Schedule.parse(schedule.text()));
        assertEquals(20, schedule.exchanges(8));
        assertEquals(5, schedule.exchanges(65536));
    }

    @Test
    void shouldWriteRowsAndGoals() throws IOException {
        Report report = new Report();
        report.rows().add(new Row("suite", "case", "fairlead", 8, "p50", 1.5, "us"));
        report.goals().add(Goal.atMost("met", 1.1, 1.15));
        report.goals().add(Goal.atMost("missed", 1.2, 1.15));
        Path file = folder.resolve("report.json");
        report.write(file);
        JsonNode json = JsonMapper.builder().build().readTree(Files.readString(file));
        assertEquals(
                JsonMapper.builder().build().readTree("""
                                {"suite":"suite","case":"case","subject":"fairlead","size":8,"metric":"p50","value":1.5,"unit":"us"}
                                """), json.get("rows").get(0));
        assertTrue(json.get("goals").get(0).get("met").asBoolean());
        assertFalse(json.get("goals").get(1).get("met").asBoolean());
    }
}
