package io.fairlead.benchmarks;

import io.fairlead.PathPolicy;
import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures Fairlead with metrics beside Fairlead without. */
@Command(
        name = "metrics-cost",
        description =
                "Half round trips of 8 B between two processes with metrics on and off, in turns: over the best path of this"
                        + " host (tag-lat) and over TCP (tcp-latency).")
final class MetricsCostCommand implements Callable<Integer> {
    private static final String SUITE = "metrics-cost";
    private static final double LIMIT = 1.03;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        Report report = new Report();
        System.out.println(
                "half round trip of 8 bytes, two processes, both spinning; medians over rounds, metrics off and on in turns");
        System.out.printf(
                Locale.ROOT, "%-12s %-10s %12s %12s %24s%n", "test", "transport", "off p50 us", "on p50 us", "on/off");
        for (MetricsCost.Case test : cases()) {
            add(report, new MetricsCost(test, System.err::println).run());
        }
        return options.finish(report);
    }

    /** Rounds of some 10 ms each, so that both contestants see the same moods of the machine. */
    private List<MetricsCost.Case> cases() {
        List<Integer> sizes = List.of(MetricsCost.SIZE);
        return List.of(
                new MetricsCost.Case(
                        "tag-lat",
                        PathPolicy.AUTO,
                        options.quick() ? new Schedule(sizes, 2, 4, 2_560) : new Schedule(sizes, 40, 101, 6_400)),
                new MetricsCost.Case(
                        "tcp-latency",
                        PathPolicy.TCP_ONLY,
                        options.quick() ? new Schedule(sizes, 2, 4, 640) : new Schedule(sizes, 40, 101, 640)));
    }

    private static void add(Report report, MetricsCost.Result result) {
        double off = Spread.of(result.off()).median();
        double on = Spread.of(result.on()).median();
        Spread ratio = Spread.of(result.ratios());
        List<Double> sorted = result.ratios().stream().sorted().toList();
        double lower = sorted.get(sorted.size() / 4);
        double upper = sorted.get(sorted.size() * 3 / 4);
        row(report, result, "metrics-off", "p50", off, "us");
        row(report, result, "metrics-on", "p50", on, "us");
        row(report, result, "metrics-on/metrics-off", "p50", ratio.median(), "ratio");
        row(report, result, "metrics-on/metrics-off", "p50-lower-quartile", lower, "ratio");
        row(report, result, "metrics-on/metrics-off", "p50-upper-quartile", upper, "ratio");
        row(report, result, "metrics-on", "scrapes", (double) result.scrapes(), "count");
        report.goals().add(Goal.atMost(result.label() + "-8B-metrics-p50-limit", ratio.median(), LIMIT));
        System.out.printf(
                Locale.ROOT,
                "%-12s %-10s %12.3f %12.3f %8.3f (%.3f to %.3f)   half of the rounds; %d scrapes%n",
                result.label(),
                result.path().transport(),
                off,
                on,
                ratio.median(),
                lower,
                upper,
                result.scrapes());
    }

    private static void row(
            Report report, MetricsCost.Result result, String subject, String metric, double value, String unit) {
        report.rows().add(new Row(SUITE, result.label(), subject, MetricsCost.SIZE, metric, value, unit));
    }
}
