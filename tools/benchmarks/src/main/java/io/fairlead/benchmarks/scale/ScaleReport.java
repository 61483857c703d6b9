package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.scale.Table.Column;
import io.fairlead.benchmarks.scale.Table.Line;
import io.fairlead.benchmarks.scale.Table.Run;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Spread;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** Measures tables, and prints and keeps what they have come to. */
public final class ScaleReport {
    private static final String SUITE = "scale-";
    private static final String RATIO = "ratio";
    private static final int ENDPOINTS = 1000;
    private static final double HALF_ROUND_TRIP_MAX = 1.3;
    private static final double BYTES_MAX = 64 << 10;

    private final PrintStream out;
    private final Report report;
    private final Consumer<String> progress;

    /**
     * Prepares.
     *
     * @param out takes the tables
     * @param report takes the figures and goals
     * @param progress takes a line for each step, and who was left out
     */
    public ScaleReport(PrintStream out, Report report, Consumer<String> progress) {
        this.out = out;
        this.report = report;
        this.progress = progress;
    }

    /** Measures what goals are set for, in a few short rounds. */
    public void measureGoals() {
        measure(Tables.endpoints(List.of(Table.TCP)), ScalePlan.QUICK);
    }

    /** Measures a table. */
    void measure(Table table, ScalePlan plan) {
        out.println();
        out.println(table.title() + ": " + table.description() + "; medians of "
                + plan.rounds().rounds() + " rounds in turns, in brackets the least and the greatest");
        Run run = new Run(progress);
        add(table, table.measure(plan, run));
        run.notes().forEach(note -> out.println("  " + note));
    }

    void add(Table table, List<Line> lines) {
        for (String series : Table.SERIES) {
            List<Line> ofSeries =
                    lines.stream().filter(line -> line.series().equals(series)).toList();
            if (!ofSeries.isEmpty()) {
                printHead(table, series, ofSeries.getFirst());
                ofSeries.forEach(line -> add(table, line, ofSeries.getFirst()));
            }
        }
    }

    private void printHead(Table table, String series, Line first) {
        StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "%-14s", series));
        for (Column column : table.columns()) {
            head.append(String.format(Locale.ROOT, " %36s %9s", column.title(), "to " + first.label()));
        }
        out.println();
        out.println(head);
    }

    private void add(Table table, Line line, Line first) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%14s", line.label()));
        for (int i = 0; i < table.columns().size(); i++) {
            Column column = table.columns().get(i);
            Optional<Spread> figure = spread(line.figures().get(i));
            Optional<Double> ratio = line.label().equals(first.label())
                    ? Optional.empty()
                    : ratio(line.figures().get(i), first.figures().get(i));
            text.append(String.format(
                    Locale.ROOT,
                    " %36s %9s",
                    figure.map(ScaleReport::text).orElse(""),
                    ratio.map(value -> String.format(Locale.ROOT, "%.2f", value))
                            .orElse("")));
            figure.ifPresent(value -> row(table, line, line.series(), column.metric(), value.median(), column.unit()));
            ratio.ifPresent(
                    value -> row(table, line, line.series() + "/" + first.label(), column.metric(), value, RATIO));
            figure.ifPresent(value -> addGoal(table, line, column, value, ratio));
        }
        out.println(text);
    }

    private void row(Table table, Line line, String subject, String metric, double value, String unit) {
        String name = line.series() + "-" + line.label().replace(",", "").replace(' ', '-');
        report.add(SUITE + table.title(), name, subject, line.size(), metric, value, unit);
    }

    /** Only of endpoints over TCP, a thousand of them. */
    private void addGoal(Table table, Line line, Column column, Spread figure, Optional<Double> ratio) {
        if (!table.title().equals(Tables.ENDPOINTS.title())
                || !line.series().equals(Table.TCP)
                || line.count() != ENDPOINTS) {
            return;
        }
        String id = SUITE + table.title() + " " + line.series() + " ";
        if (column.metric().equals(Tables.BYTES)) {
            report.goals().add(Goal.atMost(id + column.metric(), figure.median(), BYTES_MAX));
        } else {
            ratio.ifPresent(value -> report.goals()
                    .add(Goal.atMost(id + column.metric() + " " + line.count() + "/1", value, HALF_ROUND_TRIP_MAX)));
        }
    }

    /** Nothing of a figure that does not exist. */
    private static Optional<Spread> spread(List<Double> rounds) {
        List<Double> known = rounds.stream().filter(value -> !value.isNaN()).toList();
        return known.isEmpty() ? Optional.empty() : Optional.of(Spread.of(known));
    }

    private static Optional<Double> ratio(List<Double> rounds, List<Double> first) {
        return spread(Spread.ratios(rounds, first, value -> value)).map(Spread::median);
    }

    private static String text(Spread spread) {
        return spread.least() == spread.greatest()
                ? number(spread.median())
                : number(spread.median()) + " (" + number(spread.least()) + " to " + number(spread.greatest()) + ")";
    }

    /** With as many digits as tell something. */
    private static String number(double value) {
        return String.format(
                Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.3f" : "%.4f", value);
    }
}
