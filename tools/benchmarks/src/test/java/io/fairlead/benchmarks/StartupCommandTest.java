package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.cli.measure.Report;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That new processes have their first answer. How soon, no test asks; that every contestant does its work is asked elsewhere. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StartupCommandTest {
    @Test
    void shouldHaveTheFirstAnswerOfEachContestant() {
        List<String> progress = new ArrayList<>();
        Map<String, List<StartupCommand.Times>> results =
                StartupCommand.measure(List.of(Contestants.FAIRLEAD_SHM, Contestants.NODE_TCP), 1, progress::add);
        assertEquals(List.of("fairlead-shm", "node-tcp"), List.copyOf(results.keySet()), progress::toString);
        results.values().forEach(rounds -> {
            assertEquals(1, rounds.size());
            assertTrue(
                    rounds.getFirst().insideMs() > 0
                            && rounds.getFirst().sinceStartMs()
                                    > rounds.getFirst().insideMs(),
                    rounds::toString);
        });
    }

    @Test
    void shouldBeginWithFairleadAndLeaveOutWhatIsNotAnswered() {
        List<String> titles =
                StartupCommand.contestants().stream().map(Contestants::title).toList();
        assertEquals("fairlead-shm", titles.getFirst());
        assertEquals(titles.size(), titles.stream().distinct().count(), titles::toString);
    }

    @Test
    void shouldCompareWithTheFirstInTheSameRound() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Report report = new Report();
        Map<String, List<StartupCommand.Times>> results = new LinkedHashMap<>();
        results.put("first", List.of(times(100, 10), times(200, 20), times(300, 40)));
        results.put("second", List.of(times(300, 10), times(400, 20), times(1200, 40)));
        StartupCommand.add(results, new PrintStream(printed, false, StandardCharsets.UTF_8), report);
        assertEquals(
                List.of("400.0 ms", "300.0 ms", "1200.0 ms", "3.0 ratio"),
                report.rows().stream()
                        .filter(row -> row.subject().startsWith("second")
                                && row.metric().startsWith("since-start"))
                        .map(row -> row.value() + " " + row.unit())
                        .toList());
        assertTrue(
                printed.toString(StandardCharsets.UTF_8).contains("3.000 (2.000 to 4.000)"),
                () -> printed.toString(StandardCharsets.UTF_8));
    }

    private static StartupCommand.Times times(double sinceStartMs, double insideMs) {
        return new StartupCommand.Times(sinceStartMs, insideMs);
    }
}
