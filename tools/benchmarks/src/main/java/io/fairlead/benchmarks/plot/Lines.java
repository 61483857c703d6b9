package io.fairlead.benchmarks.plot;

import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * One drawing: a line for each contestant.
 *
 * @param name the file's, without its ending
 * @param title what was measured
 * @param xAxis what stands below, with its unit; its scale is logarithmic
 * @param yAxis what stands at the side, with its unit; its scale is logarithmic
 * @param scale how numbers on the horizontal axis are written
 * @param lines for each contestant, in the order of the report, the figures by their places on the horizontal axis
 */
record Lines(
        String name,
        String title,
        String xAxis,
        String yAxis,
        Scale scale,
        Map<String, SortedMap<Double, Double>> lines) {
    private static final String SPIN = " spin";
    private static final String SIZE = "size of a message";
    /** Suites that differ in their sizes alone. */
    private static final Set<String> RATES = Set.of("rate", "bandwidth");

    /** What the numbers on the horizontal axis are. */
    enum Scale {
        /** Bytes of a message. */
        BYTES,
        /** One message of so many is slower: 100 is the 99th percentile. */
        PERCENTILES
    }

    /** The drawings of a report, those of suites that it has not left out: latency by size, rate by size, percentiles of the shortest message. */
    static List<Lines> of(Report report) {
        Lines latency = new Lines(
                "latency",
                "Half round trips between two processes, spinning",
                SIZE,
                "us",
                Scale.BYTES,
                lines(report, row -> row.suite().equals("latency") && is(row, "p50", "us"), Row::size, 0.5));
        Lines rate = new Lines(
                "rate",
                "Messages one after the other, spinning",
                SIZE,
                "messages a second",
                Scale.BYTES,
                lines(report, row -> RATES.contains(row.suite()) && is(row, "rate", "1/s"), Row::size, 1));
        return Stream.of(latency, rate, percentiles(report))
                .filter(drawing -> !drawing.lines().isEmpty())
                .toList();
    }

    private static boolean is(Row row, String metric, String unit) {
        return row.metric().equals(metric) && row.unit().equals(unit);
    }

    private static Lines percentiles(Report report) {
        Map<String, Double> places = Map.of("p50", 2.0, "p99", 100.0, "p99.9", 1000.0);
        long least = report.rows().stream()
                .filter(row -> row.suite().equals("latency"))
                .mapToLong(Row::size)
                .min()
                .orElse(0);
        return new Lines(
                "percentiles",
                "Half round trips of " + least + " B between two processes, spinning",
                "percentile",
                "us",
                Scale.PERCENTILES,
                lines(
                        report,
                        row -> row.suite().equals("latency")
                                && row.size() == least
                                && row.unit().equals("us")
                                && places.containsKey(row.metric()),
                        row -> places.get(row.metric()),
                        0.5));
    }

    /** Lines of at least two points. */
    private static Map<String, SortedMap<Double, Double>> lines(
            Report report, Predicate<Row> chosen, ToDoubleFunction<Row> place, double factor) {
        Map<String, SortedMap<Double, Double>> lines = new LinkedHashMap<>();
        for (Row row : report.rows()) {
            if (row.name().endsWith(SPIN) && row.value() > 0 && chosen.test(row)) {
                lines.computeIfAbsent(row.subject(), _ -> new TreeMap<>())
                        .put(place.applyAsDouble(row), row.value() * factor);
            }
        }
        lines.values().removeIf(points -> points.size() < 2);
        return lines;
    }
}
