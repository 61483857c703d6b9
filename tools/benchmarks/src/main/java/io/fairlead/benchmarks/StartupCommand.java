package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
        Load.check();
        measure(quick(), System.out, report);
        Load.check();
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
        out.printf(
                Locale.ROOT,
                "%n%-18s %26s %-17s %26s %-17s%n",
                "",
                "from its start, ms",
                " to " + first.getKey(),
                "inside, ms",
                " to " + first.getKey());
        results.forEach((subject, times) -> {
            out.printf(
                    Locale.ROOT,
                    "%-18s %s %s%n",
                    subject,
                    add(report, subject, "since-start", times, first, Times::sinceStartMs),
                    add(report, subject, "inside", times, first, Times::insideMs));
        });
    }

    /** Adds one figure to the report, and returns it as the table has it. */
    private static String add(
            Report report,
            String subject,
            String metric,
            List<Times> rounds,
            Map.Entry<String, List<Times>> first,
            ToDoubleFunction<Times> figure) {
        Spread times = Spread.of(rounds, figure);
        Spread ratio = Spread.ratio(rounds, first.getValue(), figure);
        row(report, subject, metric, times.median(), "ms");
        row(report, subject, metric + "-least", times.least(), "ms");
        row(report, subject, metric + "-greatest", times.greatest(), "ms");
        if (!subject.equals(first.getKey())) {
            row(report, subject + "/" + first.getKey(), metric, ratio.median(), "ratio");
        }
        return String.format(
                Locale.ROOT,
                "%8.1f (%6.1f to %6.1f) %5.2f (%4.2f to %4.2f)",
                times.median(),
                times.least(),
                times.greatest(),
                ratio.median(),
                ratio.least(),
                ratio.greatest());
    }

    private static void row(Report report, String subject, String metric, double value, String unit) {
        report.add(SUITE, "first-answer", subject, ONE.size(), metric, value, unit);
    }
}
