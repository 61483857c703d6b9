package io.fairlead.benchmarks.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.contest.FirstAnswer;
import io.fairlead.benchmarks.contest.FirstAnswer.Times;
import io.fairlead.benchmarks.startup.StartupComparison.Result;
import io.fairlead.cli.measure.Report;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That new processes have their first answer. How soon, no test asks; that every contestant does its work is asked elsewhere. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StartupComparisonTest {
    @Test
    void shouldHaveTheFirstAnswerOfEachContestant() {
        List<FirstAnswer> two = FirstAnswer.ofAll().stream()
                .filter(contestant -> List.of("fairlead-shm", "node-tcp").contains(contestant.title()))
                .toList();
        List<String> progress = new ArrayList<>();
        List<Result> results = new StartupComparison(two, 1, progress::add).run();
        assertEquals(
                List.of("fairlead-shm", "node-tcp"),
                results.stream().map(Result::subject).toList(),
                progress::toString);
        for (Result result : results) {
            assertEquals(1, result.rounds().size());
            for (Times times : result.rounds()) {
                assertTrue(times.insideMs() > 0 && times.sinceStartMs() > times.insideMs(), times::toString);
            }
        }
    }

    @Test
    void shouldBeginWithFairleadAndLeaveOutWhatIsNotAnswered() {
        List<String> titles =
                FirstAnswer.ofAll().stream().map(FirstAnswer::title).toList();
        assertEquals("fairlead-shm", titles.getFirst());
        assertEquals(titles.size(), titles.stream().distinct().count(), titles::toString);
    }

    @Test
    void shouldCompareWithTheFirstInTheSameRound() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Report report = new Report();
        new StartupReport(new PrintStream(printed, false, StandardCharsets.UTF_8), report)
                .add(List.of(
                        new Result("first", List.of(new Times(100, 10), new Times(200, 20), new Times(300, 40))),
                        new Result("second", List.of(new Times(300, 10), new Times(400, 20), new Times(1200, 40)))));
        assertEquals(
                List.of("400.0 ms", "300.0 ms", "1200.0 ms", "3.0 ratio"),
                report.rows().stream()
                        .filter(row -> row.subject().startsWith("second")
                                && row.metric().startsWith("since-start"))
                        .map(row -> row.value() + " " + row.unit())
                        .toList());
        assertTrue(
                printed.toString(StandardCharsets.UTF_8).contains("3.00 (2.00 to 4.00)"),
                () -> printed.toString(StandardCharsets.UTF_8));
    }
}
