package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;

/** Measures how soon new processes have their first answer: two of each contestant in every round, one contestant after the other. */
@Command(
        name = "startup",
        description =
                "How soon two new processes have their first answer of 8 B: from the start of the connecting process, and inside"
                        + " it; beside raw NIO, Netty, Aeron, JeroMQ and NATS.")
final class StartupCommand extends Comparison {
    private static final String SUITE = "startup";
    private static final Work ONE = Work.numbered(PerfTest.TAG_LAT, 8);

    /**
     * What one pair of processes took.
     *
     * @param sinceStartMs from the start of the connecting process to the first checked answer, as this process sees it
     * @param insideMs what the connecting process itself took to open the library, to connect, and to have its first answer
     */
    record Times(double sinceStartMs, double insideMs) {}

    @Override
    protected void measure(Report report) {
        measure(quick(), System.out, report);
    }

    /** Measures all contestants and prints the table. */
    static void measure(boolean quick, PrintStream out, Report report) {
        int rounds = quick ? 3 : 4;
        List<Contestants> contestants = contestants();
        out.println();
        out.println(SUITE + ": the first answer of " + ONE.size()
                + " B between two new processes whose threads sleep; medians of " + rounds
                + " rounds in turns, in brackets the least and the greatest");
        contestants.forEach(contestant -> out.println("  " + contestant.title() + ": " + contestant.settings()));
        add(measure(contestants, rounds, System.err::println), out, report);
    }

    /** All contestants whose messages are answered. The first is what ratios are taken to. */
    static List<Contestants> contestants() {
        return Arrays.stream(Contestants.values())
                .filter(contestant -> !contestant.leaderListens() && contestant != Contestants.AERON_IPC_SHARED)
                .filter(contestant -> contestant.cannot(Idle.BLOCK).isEmpty())
                .toList();
    }

    /** The rounds of those that have come to the end, in the order of the list. */
    static Map<String, List<Times>> measure(List<Contestants> contestants, int rounds, Consumer<String> progress) {
        Map<String, List<Times>> times = new LinkedHashMap<>();
        for (Contestants contestant : contestants) {
            contestant
                    .unavailable()
                    .ifPresentOrElse(
                            why -> progress.accept("left out: " + contestant.title() + ": " + why),
                            () -> times.put(contestant.title(), new ArrayList<>()));
        }
        for (int round = 0; round < rounds; round++) {
            progress.accept("startup: round " + (round + 1) + " of " + rounds);
            for (Contestants contestant : contestants) {
                List<Times> ofContestant = times.get(contestant.title());
                if (ofContestant == null) {
                    continue;
                }
                try (Pair pair = contestant.start(Idle.BLOCK)) {
                    Turn turn = pair.turn(ONE);
                    double sinceStartMs = (System.nanoTime() - pair.startedNs()) / 1e6;
                    ofContestant.add(new Times(sinceStartMs, pair.openedNs() / 1e6 + 1e3 / turn.perSecond()));
                } catch (IOException failure) {
                    progress.accept("left out: " + contestant.title() + ": " + failure.getMessage());
                    times.remove(contestant.title());
                }
            }
        }
        return times;
    }

    static void add(Map<String, List<Times>> results, PrintStream out, Report report) {
        if (results.isEmpty()) {
            return;
        }
        Map.Entry<String, List<Times>> first = results.entrySet().iterator().next();
        TextTable table = new TextTable(
                report,
                SUITE,
                List.of("", "from its start, ms", "to " + first.getKey(), "inside, ms", "to " + first.getKey()));
        results.forEach((subject, times) -> {
            TextTable.Line<Times> line = table.line(subject, "first-answer", subject, ONE.size(), times);
            add(line, "since-start", times, first, Times::sinceStartMs);
            add(line, "inside", times, first, Times::insideMs);
        });
        out.println();
        table.print(out);
    }

    private static void add(
            TextTable.Line<Times> line,
            String metric,
            List<Times> times,
            Map.Entry<String, List<Times>> first,
            ToDoubleFunction<Times> figure) {
        Spread spread = Spread.of(times, figure);
        line.spread(metric, "ms", figure)
                .row(metric + "-least", "ms", spread.least())
                .row(metric + "-greatest", "ms", spread.greatest())
                .ratio(metric, first.getKey(), first.getValue(), figure);
    }
}
