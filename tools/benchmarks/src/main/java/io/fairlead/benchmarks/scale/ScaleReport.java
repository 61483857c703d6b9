package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.scale.Table.Column;
import io.fairlead.benchmarks.scale.Table.Line;
import io.fairlead.benchmarks.scale.Table.Run;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.TextTable;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Measures tables, and prints and keeps what they have come to. */
public final class ScaleReport {
    private static final String SUITE = "scale-";
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
                addSeries(table, ofSeries);
            }
        }
    }

    private void addSeries(Table table, List<Line> ofSeries) {
        Line first = ofSeries.getFirst();
        List<String> head = new ArrayList<>(List.of(first.series()));
        table.columns().forEach(column -> head.addAll(List.of(column.title(), "to " + first.label())));
        TextTable printed = new TextTable(report, SUITE + table.title(), head);
        for (Line line : ofSeries) {
            String name = line.series() + "-" + line.label().replace(",", "").replace(' ', '-');
            TextTable.Line<Double> cells = printed.line(line.label(), name, line.series(), line.size(), List.of());
            for (int i = 0; i < table.columns().size(); i++) {
                add(table, line, table.columns().get(i), cells, first, i);
            }
        }
        out.println();
        printed.print(out);
    }

    /** Nothing of a figure that does not exist. */
    private void add(Table table, Line line, Column column, TextTable.Line<Double> cells, Line first, int index) {
        List<Double> rounds = known(line.figures().get(index));
        List<Double> ratios =
                known(Spread.ratios(line.figures().get(index), first.figures().get(index), value -> value));
        if (rounds.isEmpty()) {
            cells.text("").text("");
            return;
        }
        cells.of(line.series(), rounds).spread(column.metric(), column.unit(), value -> value);
        boolean compared = !ratios.isEmpty() && !line.equals(first);
        double ratio = compared ? Spread.of(ratios).median() : Double.NaN;
        if (compared) {
            cells.ratioRow(column.metric(), first.label(), ratio);
        }
        cells.text(compared ? String.format(Locale.ROOT, "%.2f", ratio) : "");
        if (isOfGoals(table, line)) {
            String id = SUITE + table.title() + " " + line.series() + " " + column.metric();
            if (column.metric().equals(Tables.BYTES)) {
                report.goals().add(Goal.atMost(id, Spread.of(rounds).median(), BYTES_MAX));
            } else if (compared) {
                report.goals().add(Goal.atMost(id + " " + line.count() + "/1", ratio, HALF_ROUND_TRIP_MAX));
            }
        }
    }

    private static List<Double> known(List<Double> rounds) {
        return rounds.stream().filter(value -> !value.isNaN()).toList();
    }

    /** Only of endpoints over TCP, a thousand of them. */
    private static boolean isOfGoals(Table table, Line line) {
        return table.title().equals(Tables.ENDPOINTS.title())
                && line.series().equals(Table.TCP)
                && line.count() == ENDPOINTS;
    }
}
