package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** That the comparison runs, and writes what it says. How fast anything is, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TcpLatencyCommandTest {
    @TempDir
    private Path folder;

    @Test
    void shouldMeasureBothContestantsInEveryRound() throws IOException {
        TcpLatencyCommand.measure(new Rounds.Plan(2, 1_000_000, 0, 20, 20, false), List.of(8, 4096), _ -> {})
                .forEach((size, turns) -> {
                    assertEquals(List.of("raw-nio", "fairlead-tcp"), List.copyOf(turns.keySet()));
                    turns.values().forEach(rounds -> {
                        assertEquals(2, rounds.size());
                        assertTrue(
                                rounds.stream().allMatch(turn -> turn.p50Us() > 0 && turn.allocated() >= 0),
                                rounds::toString);
                    });
                });
    }

    @Test
    void shouldWriteRowsAndGoals() throws IOException {
        Report report = new Report();
        report.add("suite", "case", "fairlead", 8, "p50", 1.5, "us");
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
