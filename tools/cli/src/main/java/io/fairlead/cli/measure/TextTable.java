package io.fairlead.cli.measure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table in which every column is as wide as its longest cell. The figures of its lines go to a report too. */
public final class TextTable {
    private static final String GAP = "  ";

    private final Report report;
    private final String suite;
    private final List<List<String>> lines = new ArrayList<>();

    public TextTable(Report report, String suite, List<String> head) {
        this.report = report;
        this.suite = suite;
        lines.add(head);
    }

    /**
     * Begins a line.
     *
     * @param label its first cell
     * @param name the case, as the report has it
     * @param subject whose figures these are
     * @param size bytes of an operation
     * @param rounds what the figures are taken of
     */
    public <T> Line<T> line(String label, String name, String subject, long size, List<T> rounds) {
        List<String> cells = new ArrayList<>(List.of(label));
        lines.add(cells);
        return new Line<>(cells, name, subject, size, rounds);
    }

    /** Goes on in the last line with figures of another case. */
    public <T> Line<T> same(String name, String subject, long size, List<T> rounds) {
        return new Line<>(lines.getLast(), name, subject, size, rounds);
    }

    /** The figures of one subject. Each adds a cell to the line, and what has a metric a row to the report. */
    public final class Line<T> {
        private final List<String> cells;
        private final String name;
        private final String subject;
        private final long size;
        private final List<T> rounds;

        private Line(List<String> cells, String name, String subject, long size, List<T> rounds) {
            this.cells = cells;
            this.name = name;
            this.subject = subject;
            this.size = size;
            this.rounds = rounds;
        }

        /** Goes on in the same line with the figures of another subject. */
        public <S> Line<S> of(String other, List<S> others) {
            return new Line<>(cells, name, other, size, others);
        }

        /** Any text. */
        public Line<T> text(String text) {
            cells.add(text);
            return this;
        }

        /** A median. */
        public Line<T> median(String metric, String unit, ToDoubleFunction<T> figure) {
            double median = Spread.median(rounds, figure);
            return row(metric, unit, median).text(number(median, unit));
        }

        /** A median, beside it the least and the greatest. */
        public Line<T> spread(String metric, String unit, ToDoubleFunction<T> figure) {
            Spread spread = Spread.of(rounds, figure);
            return row(metric, unit, spread.median()).text(TextTable.text(spread));
        }

        /** The median of the ratios to another subject, round by round, beside it the least and the greatest. */
        public Line<T> ratio(String metric, String other, List<T> others, ToDoubleFunction<T> figure) {
            Spread ratio = Spread.ratio(rounds, others, figure);
            return (subject.equals(other) ? this : ratioRow(metric, other, ratio.median())).text(ratioText(ratio));
        }

        /** A figure for the report alone. */
        public Line<T> row(String metric, String unit, double value) {
            report.add(suite, name, subject, size, metric, value, unit);
            return this;
        }

        /** A ratio for the report alone. */
        public Line<T> ratioRow(String metric, String other, double value) {
            report.add(suite, name, subject + "/" + other, size, metric, value, "ratio");
            return this;
        }
    }

    /** A ratio as tables have it. */
    public static String ratioText(Spread ratio) {
        return String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", ratio.median(), ratio.least(), ratio.greatest());
    }

    /** A figure as tables have it. */
    public static String text(Spread spread) {
        String median = number(spread.median());
        return spread.least() == spread.greatest()
                ? median
                : median + " (" + number(spread.least()) + " to " + number(spread.greatest()) + ")";
    }

    /** Nothing for a time that was not taken. */
    private static String number(double value, String unit) {
        return value == 0 && unit.startsWith("us") ? "" : number(value);
    }

    /** With as many digits as matter. */
    public static String number(double value) {
        return String.format(
                Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.3f" : "%.4f", value);
    }

    public void print(PrintStream out) {
        List<Integer> widths = IntStream.range(0, lines.getFirst().size())
                .mapToObj(column -> lines.stream()
                        .filter(line -> column < line.size())
                        .mapToInt(line -> line.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        for (List<String> line : lines) {
            out.println(IntStream.range(0, line.size())
                    .mapToObj(column -> padded(line.get(column), widths.get(column), column))
                    .collect(Collectors.joining(GAP))
                    .stripTrailing());
        }
    }

    /** What a line is about stands on the left, and figures on the right. */
    private static String padded(String cell, int width, int column) {
        String padding = " ".repeat(width - cell.length());
        return column == 0 ? cell + padding : padding + cell;
    }
}
