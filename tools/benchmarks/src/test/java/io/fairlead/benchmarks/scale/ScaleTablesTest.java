package io.fairlead.benchmarks.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.scale.Table.Line;
import io.fairlead.benchmarks.scale.Table.Run;
import io.fairlead.cli.measure.Rounds;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That each table measures all its points between processes of their own. How figures grow, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScaleTablesTest {
    private static final int ROUNDS = 1;
    private static final List<Integer> TWO = List.of(1, 3);
    private static final ScalePlan SMALL = new ScalePlan(
            new Rounds.Plan(ROUNDS, 1_000_000, 0),
            List.of(100),
            TWO,
            List.of(3),
            List.of(300),
            List.of(8, 4096, 1 << 20),
            TWO);

    static List<Table> tables() {
        return Tables.ALL;
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldMeasureEveryPointOverBothTransports(Table table) {
        List<String> progress = new ArrayList<>();
        List<Line> lines = table.measure(SMALL, new Run(progress::add));
        assertEquals(
                Table.SERIES.stream()
                        .flatMap(series -> numbers(table).stream().map(number -> series + " " + number))
                        .collect(Collectors.toSet()),
                lines.stream().map(line -> line.series() + " " + line.count()).collect(Collectors.toSet()),
                progress::toString);
        for (Line line : lines) {
            assertEquals(table.columns().size(), line.figures().size());
            for (List<Double> rounds : line.figures()) {
                assertEquals(ROUNDS, rounds.size(), line::toString);
                assertTrue(rounds.stream().allMatch(Double::isFinite), line::toString);
            }
            assertTrue(line.figures().getFirst().stream().allMatch(figure -> figure > 0), line::toString);
        }
    }

    private static List<Integer> numbers(Table table) {
        return switch (table.title()) {
            case "endpoints" -> SMALL.endpoints();
            case "threads" -> SMALL.threads();
            case "subscribers" -> SMALL.subscribers();
            case "regions" -> SMALL.regions();
            case "sizes" -> SMALL.sizes();
            default -> SMALL.processes();
        };
    }
}
