package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.perf.Leader.Percentiles;
import io.fairlead.cli.perf.Leader.Round;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Writes what was measured, as rows of a report and as tables. */
public final class PerfReport {
    private static final String SUITE = "perf";
    private static final double MEGA = 1e6;

    private PerfReport() {}

    public static Report report(List<PerfResult> results) {
        Report report = new Report();
        for (PerfResult result : results) {
            result.subjects().forEach((subject, series) -> addSubject(report, result, subject, series));
            for (String rival : result.rivals()) {
                result.ratio(rival)
                        .ifPresent(ratio -> addSpread(
                                report, result, PerfServer.FAIRLEAD + "/" + rival, result.metric(), ratio, "ratio"));
            }
            report.goals().addAll(PerfGoals.of(result));
        }
        return report;
    }

    private static void addSubject(Report report, PerfResult result, String subject, PerfResult.Series series) {
        if (result.isRate()) {
            Spread rate = series.spread(Round::rate);
            addSpread(report, result, subject, "rate", rate, "operations/s");
            add(report, result, subject, "bandwidth", megabytes(result, rate.median()), "MB/s");
            add(report, result, subject, "window", result.perfCase().window(), "operations");
        } else {
            addSpread(report, result, subject, "p50", series.spread(Round::medianUs), "us");
            add(report, result, subject, "mean", series.spread(Round::meanUs).median(), "us");
            series.percentiles().ifPresent(percentiles -> {
                add(report, result, subject, "p90", percentiles.p90(), "us");
                add(report, result, subject, "p99", percentiles.p99(), "us");
                add(report, result, subject, "p99.9", percentiles.p999(), "us");
                add(report, result, subject, "max", percentiles.max(), "us");
                add(report, result, subject, "batch", result.batch(), "operations");
            });
        }
        if (series.percentiles().isPresent()) {
            add(report, result, subject, "allocated", series.allocatedPerOperation(), "bytes/operation");
        }
    }

    private static void addSpread(
            Report report, PerfResult result, String subject, String metric, Spread spread, String unit) {
        add(report, result, subject, metric, spread.median(), unit);
        add(report, result, subject, metric + "-min", spread.least(), unit);
        add(report, result, subject, metric + "-max", spread.greatest(), unit);
    }

    private static void add(
            Report report, PerfResult result, String subject, String metric, double value, String unit) {
        PerfCase perfCase = result.perfCase();
        report.rows().add(new Row(SUITE, perfCase.test().label(), subject, perfCase.size(), metric, value, unit));
    }

    private static double megabytes(PerfResult result, double rate) {
        return rate * result.perfCase().size() / MEGA;
    }

    /** Fairlead's own figures. */
    public static List<String> table(List<PerfResult> results) {
        List<String> lines = new ArrayList<>();
        List<PerfResult> latencies =
                results.stream().filter(result -> !result.isRate()).toList();
        if (!latencies.isEmpty()) {
            lines.add(line(
                    "%-10s %8s %10s %10s %10s %10s %10s %10s %6s %10s",
                    "us", "size", "p50", "mean", "p90", "p99", "p99.9", "max", "batch", "bytes/op"));
            latencies.forEach(result -> lines.add(latency(result)));
        }
        List<PerfResult> rates = results.stream().filter(PerfResult::isRate).toList();
        if (!rates.isEmpty()) {
            lines.add(line(
                    "%-10s %8s %7s %12s %27s %12s %10s",
                    "a second", "size", "window", "operations", "(min to max)", "MB", "bytes/op"));
            rates.forEach(result -> lines.add(rate(result)));
        }
        return lines;
    }

    private static String latency(PerfResult result) {
        PerfResult.Series series = result.fairlead();
        Percentiles percentiles = series.percentiles().orElseThrow();
        return line(
                "%-10s %8s %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f %6d %10.3f",
                result.perfCase().test().label(),
                PerfPlan.sizeText(result.perfCase().size()),
                series.spread(Round::medianUs).median(),
                series.spread(Round::meanUs).median(),
                percentiles.p90(),
                percentiles.p99(),
                percentiles.p999(),
                percentiles.max(),
                result.batch(),
                series.allocatedPerOperation());
    }

    private static String rate(PerfResult result) {
        Spread rate = result.fairlead().spread(Round::rate);
        return line(
                "%-10s %8s %7d %12.0f %27s %12.1f %10.3f",
                result.perfCase().test().label(),
                PerfPlan.sizeText(result.perfCase().size()),
                result.perfCase().window(),
                rate.median(),
                line("(%.0f to %.0f)", rate.least(), rate.greatest()),
                megabytes(result, rate.median()),
                result.fairlead().allocatedPerOperation());
    }

    /** Fairlead beside its rivals. */
    static List<String> comparison(List<PerfResult> results) {
        // A rival may be without some of the tests.
        List<String> rivals = results.stream()
                .flatMap(result -> result.rivals().stream())
                .distinct()
                .toList();
        List<String> lines = new ArrayList<>();
        StringBuilder heading = new StringBuilder(line("%-8s %8s %5s %5s %11s", "", "size", "of", "unit", "fairlead"));
        rivals.forEach(rival -> heading.append(line(" %13s", rival)));
        rivals.forEach(rival -> heading.append(line("   %-24s", "to " + rival + " (min-max)")));
        lines.add(heading.append(line(" %9s", "bytes/op")).toString());
        for (PerfResult result : results) {
            StringBuilder row = new StringBuilder(line(
                    "%-8s %8s %5s %5s %11s",
                    result.perfCase().test().label(),
                    PerfPlan.sizeText(result.perfCase().size()),
                    result.metric(),
                    unit(result),
                    figure(result, PerfServer.FAIRLEAD)));
            rivals.forEach(rival -> row.append(line(" %13s", figure(result, rival))));
            rivals.forEach(rival -> row.append(line("   %-24s", ratio(result, rival))));
            lines.add(row.append(line(" %9.3f", result.fairlead().allocatedPerOperation()))
                    .toString());
        }
        return lines;
    }

    private static String unit(PerfResult result) {
        return !result.isRate() ? "us" : showsBytes(result) ? "MB/s" : "M/s";
    }

    /** Short operations are told by their number, long ones by their bytes. */
    private static boolean showsBytes(PerfResult result) {
        return result.perfCase().size() >= 4096;
    }

    private static String figure(PerfResult result, String subject) {
        Optional<PerfResult.Series> series = result.series(subject);
        if (series.isEmpty()) {
            return "-";
        }
        double figure = series.get().spread(result.figure()).median();
        if (!result.isRate()) {
            return line("%.3f", figure);
        }
        return showsBytes(result) ? line("%.0f", megabytes(result, figure)) : line("%.3f", figure / MEGA);
    }

    private static String ratio(PerfResult result, String rival) {
        return result.ratio(rival)
                .map(ratio -> line("%.3f (%.3f to %.3f)", ratio.median(), ratio.least(), ratio.greatest()))
                .orElse("-");
    }

    /** The goals, those that were missed marked so that they are seen. */
    static List<String> goals(List<Goal> goals) {
        return goals.stream().map(Goal::line).toList();
    }

    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
