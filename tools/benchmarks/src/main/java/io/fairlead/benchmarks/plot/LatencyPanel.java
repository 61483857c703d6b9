package io.fairlead.benchmarks.plot;

import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.perf.PerfPlan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The latencies of one comparison, ready to be drawn.
 *
 * @param title what was compared
 * @param operations what was timed, from left to right
 * @param microseconds for each contestant, Fairlead last, one figure for each operation; not a number where there is none
 */
record LatencyPanel(String title, List<String> operations, Map<String, List<Double>> microseconds) {
    private static final String FAIRLEAD = "fairlead";
    /** Longer messages would leave the bars of the shorter ones too low to be seen. */
    private static final int SIZE_MAX = 4096;

    private static final Map<String, String> TITLES =
            Map.of("perf", "Shared memory, beside UCX's C program", "tcp-latency", "TCP, beside raw NIO");
    private static final Map<String, String> NAMES =
            Map.of(FAIRLEAD, "Fairlead", "ucx_perftest", "C (ucx_perftest)", "raw-nio", "raw NIO", "jucx", "raw JUCX");
    private static final Map<String, String> OPERATIONS = Map.of(
            "half-round-trip",
            "message",
            "tag-lat",
            "message",
            "put-lat",
            "put",
            "get-lat",
            "get",
            "fadd",
            "fetch-add");

    /** What one bar of each contestant shows: the figure by which the report compares them. */
    private record Comparison(String name, long size, String metric) {
        String label() {
            return OPERATIONS.getOrDefault(name, name) + " " + PerfPlan.sizeText((int) size);
        }
    }

    /** A panel for each suite of the reports that compares latencies, in the order in which they come. */
    static List<LatencyPanel> of(Collection<Report> reports) {
        Map<String, List<Row>> bySuite = new LinkedHashMap<>();
        for (Report report : reports) {
            report.rows()
                    .forEach(row -> bySuite.computeIfAbsent(row.suite(), _ -> new ArrayList<>())
                            .add(row));
        }
        List<LatencyPanel> panels = new ArrayList<>();
        bySuite.forEach((suite, rows) -> {
            Set<String> others = new LinkedHashSet<>();
            Set<Comparison> comparisons = new LinkedHashSet<>();
            for (Row row : rows) {
                if (isLatencyRatio(row)) {
                    others.add(other(row));
                    comparisons.add(new Comparison(row.name(), row.size(), row.metric()));
                }
            }
            if (!comparisons.isEmpty()) {
                panels.add(panel(suite, rows, others, comparisons));
            }
        });
        return panels;
    }

    /** Those of rates have another metric, and their least and greatest too. */
    private static boolean isLatencyRatio(Row row) {
        return row.unit().equals("ratio")
                && row.subject().startsWith(FAIRLEAD + "/")
                && !other(row).contains("/")
                && Set.of("p50", "mean").contains(row.metric())
                && row.size() <= SIZE_MAX;
    }

    private static String other(Row ratio) {
        return ratio.subject().substring(FAIRLEAD.length() + 1);
    }

    private static LatencyPanel panel(String suite, List<Row> rows, Set<String> others, Set<Comparison> comparisons) {
        List<String> contestants = new ArrayList<>(others);
        contestants.add(FAIRLEAD);
        Map<String, List<Double>> microseconds = new LinkedHashMap<>();
        for (String contestant : contestants) {
            microseconds.put(
                    NAMES.getOrDefault(contestant, contestant),
                    comparisons.stream()
                            .map(comparison ->
                                    figure(rows, contestant, comparison).orElse(Double.NaN))
                            .toList());
        }
        return new LatencyPanel(
                TITLES.getOrDefault(suite, suite),
                comparisons.stream().map(Comparison::label).toList(),
                microseconds);
    }

    private static OptionalDouble figure(List<Row> rows, String subject, Comparison comparison) {
        return rows.stream()
                .filter(row -> row.subject().equals(subject)
                        && row.unit().equals("us")
                        && comparison.equals(new Comparison(row.name(), row.size(), row.metric())))
                .mapToDouble(Row::value)
                .findFirst();
    }
}
