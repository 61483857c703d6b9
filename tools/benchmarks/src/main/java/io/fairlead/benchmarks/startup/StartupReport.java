package io.fairlead.benchmarks.startup;

import io.fairlead.benchmarks.contest.FirstAnswer;
import io.fairlead.benchmarks.contest.FirstAnswer.Times;
import io.fairlead.benchmarks.startup.StartupComparison.Result;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** What {@link StartupComparison} has measured, as a table and rows. */
public final class StartupReport {
    private static final String SUITE = "startup";
    private static final String CASE = "first-answer";
    private static final int SIZE = 8;
    private static final int QUICK_ROUNDS = 3;
    private static final int ROUNDS = 4;

    private final PrintStream out;
    private final Report report;

    /**
     * Prepares.
     *
     * @param out takes the table
     * @param report takes the figures
     */
    public StartupReport(PrintStream out, Report report) {
        this.out = out;
        this.report = report;
    }

    /**
     * Measures.
     *
     * @param quick a few rounds
     * @param progress takes a line for each step, and who was left out
     */
    public void measure(boolean quick, Consumer<String> progress) {
        int rounds = quick ? QUICK_ROUNDS : ROUNDS;
        List<FirstAnswer> contestants = FirstAnswer.ofAll();
        out.println();
        out.println(SUITE + ": the first answer of " + SIZE
                + " B between two new processes whose threads sleep; medians of " + rounds
                + " rounds in turns, in brackets the least and the greatest");
        contestants.forEach(contestant -> out.println("  " + contestant.title() + ": " + contestant.settings()));
        add(new StartupComparison(contestants, rounds, progress).run());
    }

    void add(List<Result> results) {
        if (results.isEmpty()) {
            return;
        }
        Result first = results.getFirst();
        out.printf(
                Locale.ROOT,
                "%n%-18s %26s %-17s %26s %-17s%n",
                "",
                "from its start, ms",
                " to " + first.subject(),
                "inside, ms",
                " to " + first.subject());
        for (Result result : results) {
            out.printf(
                    Locale.ROOT,
                    "%-18s %s %s%n",
                    result.subject(),
                    text(result, first, Times::sinceStartMs),
                    text(result, first, Times::insideMs));
            rows(result, first, "since-start", Times::sinceStartMs);
            rows(result, first, "inside", Times::insideMs);
        }
    }

    private static String text(Result result, Result first, ToDoubleFunction<Times> figure) {
        Spread times = Spread.of(result.all(figure));
        Spread ratio = ratio(result, first, figure);
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

    private void rows(Result result, Result first, String metric, ToDoubleFunction<Times> figure) {
        Spread times = Spread.of(result.all(figure));
        row(result.subject(), metric, times.median(), "ms");
        row(result.subject(), metric + "-least", times.least(), "ms");
        row(result.subject(), metric + "-greatest", times.greatest(), "ms");
        if (!result.subject().equals(first.subject())) {
            row(
                    result.subject() + "/" + first.subject(),
                    metric,
                    ratio(result, first, figure).median(),
                    "ratio");
        }
    }

    private void row(String subject, String metric, double value, String unit) {
        report.rows().add(new Row(SUITE, CASE, subject, SIZE, metric, value, unit));
    }

    private static Spread ratio(Result result, Result first, ToDoubleFunction<Times> figure) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < result.rounds().size(); i++) {
            ratios.add(figure.applyAsDouble(result.rounds().get(i))
                    / figure.applyAsDouble(first.rounds().get(i)));
        }
        return Spread.of(ratios);
    }
}
