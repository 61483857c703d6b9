package io.fairlead.benchmarks;

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

/** Measures Fairlead's TCP beside raw NIO. */
@Command(
        name = "tcp-latency",
        description =
                "Half round trips of 8 B, 4 KiB and 64 KiB between two processes: Fairlead over TCP beside raw NIO.")
final class TcpLatencyCommand implements Callable<Integer> {
    private static final String SUITE = "tcp-latency";
    private static final List<Integer> SIZES = List.of(8, 4096, 65536);
    private static final double LIMIT_8_B = 1.25;
    private static final double GOAL_8_B = 1.15;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        Schedule schedule = options.quick() ? new Schedule(SIZES, 2, 3, 4000) : new Schedule(SIZES, 3, 11, 20_000);
        List<TcpLatency.Result> results = new TcpLatency(schedule, System.err::println).run();
        Report report = new Report();
        results.forEach(result -> add(report, result));
        print(results);
        return options.finish(report);
    }

    private static void add(Report report, TcpLatency.Result result) {
        row(report, result.size(), "raw-nio", "p50", Spread.of(result.rawP50()).median(), "us");
        row(report, result.size(), "raw-nio", "p99", Spread.of(result.rawP99()).median(), "us");
        row(
                report,
                result.size(),
                "fairlead",
                "p50",
                Spread.of(result.fairleadP50()).median(),
                "us");
        row(
                report,
                result.size(),
                "fairlead",
                "p99",
                Spread.of(result.fairleadP99()).median(),
                "us");
        Spread ratio = Spread.of(result.ratios());
        row(report, result.size(), "fairlead/raw-nio", "p50", ratio.median(), "ratio");
        row(report, result.size(), "fairlead/raw-nio", "p50-min", ratio.least(), "ratio");
        row(report, result.size(), "fairlead/raw-nio", "p50-max", ratio.greatest(), "ratio");
        row(report, result.size(), "fairlead", "allocated", result.allocatedPerOperation(), "bytes/operation");
        if (result.size() == 8) {
            report.goals().add(Goal.atMost("tcp-latency-8B-p50-limit", ratio.median(), LIMIT_8_B));
            report.goals().add(Goal.atMost("tcp-latency-8B-p50-goal", ratio.median(), GOAL_8_B));
        }
        report.goals()
                .add(Goal.atMost("tcp-latency-" + result.size() + "B-allocation", result.allocatedPerOperation(), 0));
    }

    private static void row(Report report, int size, String subject, String metric, double value, String unit) {
        report.rows().add(new Row(SUITE, "half-round-trip", subject, size, metric, value, unit));
    }

    private static void print(List<TcpLatency.Result> results) {
        System.out.println("half round trip, two processes, both spinning; medians over "
                + results.getFirst().rawP50().size() + " interleaved rounds");
        System.out.printf(
                Locale.ROOT,
                "%8s %12s %12s %14s %14s %22s %12s%n",
                "bytes",
                "raw p50 us",
                "raw p99 us",
                "fairlead p50",
                "fairlead p99",
                "ratio (min to max)",
                "bytes/op");
        for (TcpLatency.Result result : results) {
            System.out.printf(
                    Locale.ROOT,
                    "%8d %12.2f %12.2f %14.2f %14.2f %8.3f (%.3f to %.3f) %10.3f%n",
                    result.size(),
                    Spread.of(result.rawP50()).median(),
                    Spread.of(result.rawP99()).median(),
                    Spread.of(result.fairleadP50()).median(),
                    Spread.of(result.fairleadP99()).median(),
                    Spread.of(result.ratios()).median(),
                    Spread.of(result.ratios()).least(),
                    Spread.of(result.ratios()).greatest(),
                    result.allocatedPerOperation());
        }
    }
}
