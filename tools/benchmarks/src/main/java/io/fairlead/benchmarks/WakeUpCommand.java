package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures nodes that block beside a bare selector. */
@Command(
        name = "wake-up",
        description =
                "How soon a blocked node has answered a message, over each path of this host, beside a thread that blocks in"
                        + " a bare selector; and what an idle blocking node takes of the processor.")
final class WakeUpCommand implements Callable<Integer> {
    private static final String SUITE = "wake-up";
    private static final double LIMIT_US = 100;
    private static final double LIMIT_PERCENT = 1;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        WakeUp.Plan plan = options.quick()
                ? new WakeUp.Plan(2_000, 3, 50, TimeUnit.MILLISECONDS.toNanos(2), TimeUnit.SECONDS.toNanos(2))
                : new WakeUp.Plan(20_000, 11, 100, TimeUnit.MILLISECONDS.toNanos(2), TimeUnit.SECONDS.toNanos(10));
        Report report = new Report();
        Consumer<String> progress = System.err::println;
        try (WakeUp wakeUp = new WakeUp(plan, progress)) {
            WakeUp.Result result = wakeUp.run();
            System.out.println("from message to answer of a thread that blocks; medians over rounds, in turns");
            System.out.printf(
                    Locale.ROOT, "%-16s %10s %24s %24s%n", "answering", "p50 us", "(least to greatest)", "to bare");
            WakeUp.Times bare = result.times().getFirst();
            add(report, bare, bare);
            result.times().stream().skip(1).forEach(times -> {
                add(report, times, bare);
                report.goals()
                        .add(Goal.atMost(
                                times.subject() + "-p50-us",
                                Spread.of(times.medians()).median(),
                                LIMIT_US));
            });
            row(report, "fairlead", "processor", result.idlePercent(), "percent");
            report.goals().add(Goal.atMost("idle-processor-percent", result.idlePercent(), LIMIT_PERCENT));
        }
        return options.finish(report);
    }

    private static void add(Report report, WakeUp.Times times, WakeUp.Times bare) {
        Spread spread = Spread.of(times.medians());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < times.medians().size(); i++) {
            ratios.add(times.medians().get(i) / bare.medians().get(i));
        }
        Spread ratio = Spread.of(ratios);
        row(report, times.subject(), "p50", spread.median(), "us");
        System.out.printf(
                Locale.ROOT,
                "%-16s %10.1f %10.1f to %10.1f %8.2f (%.2f to %.2f)%n",
                times.subject(),
                spread.median(),
                spread.least(),
                spread.greatest(),
                ratio.median(),
                ratio.least(),
                ratio.greatest());
        row(report, times.subject() + "/bare-selector", "p50", ratio.median(), "ratio");
    }

    private static void row(Report report, String subject, String metric, double value, String unit) {
        report.rows().add(new Row(SUITE, "wake-up", subject, WakeUp.SIZE, metric, value, unit));
    }
}
